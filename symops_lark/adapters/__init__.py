"""Connections to other libraries, each with an extra: pydantic, langchain, llm; and `cli`.

Law: nothing in the package imports these modules, and only they import those libraries.
"""
