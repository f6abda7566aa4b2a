"""What a reply comes in: text or an SDK's object, messages, the conversation with a model as a generator."""
