"""Models with one small interface: OpenAI's and Anthropic's protocols, shell commands, scripts.

    model = load_model("ollama", "qwen3")
    with model.stream("Write a haiku.") as pieces: ...

Only this package uses networks. The SDKs are extras, and are imported when a model that needs one
is loaded.
"""

from typing import TYPE_CHECKING

from ..core.ground import load_lazily

if TYPE_CHECKING:
    from ..core.replies.messages import Finish, Message, Messages, Reply, Usage, as_messages
    from .command import CommandModel
    from .forms import Form, FormModel, Way
    from .limits import Limits
    from .metering import Ledger, Meter
    from .protocol import Model
    from .providers import PROVIDERS, Provider, Settings, load_model
    from .scripted import ScriptedModel
    from .streams import AsyncReplyStream, ReplyStream

__all__ = [
    "PROVIDERS",
    "AsyncReplyStream",
    "CommandModel",
    "Finish",
    "Form",
    "FormModel",
    "Ledger",
    "Limits",
    "Message",
    "Messages",
    "Meter",
    "Model",
    "Provider",
    "Reply",
    "ReplyStream",
    "ScriptedModel",
    "Settings",
    "Usage",
    "Way",
    "as_messages",
    "load_model",
]
_HOMES = {
    ".core.replies.messages": ("Finish", "Message", "Messages", "Reply", "Usage", "as_messages"),
    "command": ("CommandModel",),
    "forms": ("Form", "FormModel", "Way"),
    "limits": ("Limits",),
    "metering": ("Ledger", "Meter"),
    "protocol": ("Model",),
    "providers": ("PROVIDERS", "Provider", "Settings", "load_model"),
    "scripted": ("ScriptedModel",),
    "streams": ("AsyncReplyStream", "ReplyStream"),
}
__getattr__ = load_lazily(__name__, _HOMES)
