"""What bots behind a wire share: templates, secrets, JMESPaths, one HTTP client, its errors."""
