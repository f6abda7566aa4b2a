"""For libraries of others, each in a module with the name of its library and an extra: pydantic, langchain, llm.

Law: nothing in the package imports this room, and only this room imports those libraries.
"""
