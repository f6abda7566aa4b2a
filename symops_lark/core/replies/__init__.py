"""Read replies of models: strings, SDK objects, messages, and conversations as generators.

Nothing here imports an SDK or opens a connection: that is done by `symops_lark.models`.
"""
