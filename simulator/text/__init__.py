"""Japanese and English text: tokens, normal forms, sentences, language, refusals."""
