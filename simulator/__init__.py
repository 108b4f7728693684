"""mogi (模擬): simulated users for RAG chatbots."""
