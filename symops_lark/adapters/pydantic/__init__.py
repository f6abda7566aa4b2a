"""Results, plans, outcomes and events as Pydantic models, for web frameworks and queues.

    model = ResultModel.of(symops_lark.process(reply))
    model.model_dump_json()
    ResultModel.model_validate_json(text).to_result()

It needs `pip install 'symops-lark[pydantic]'`. In JSON a model is what `to_dict` writes, for which
`symops_lark.schema` has the schema. Pydantic cannot write an unpaired surrogate as JSON: a model
with one has `model_dump` only.
"""

from .acting import (
    BytesModel,
    ChangeModel,
    CommandResultModel,
    DoneModel,
    OutcomeModel,
    PlanModel,
    UndoneModel,
)
from .events import EventModel
from .reading import (
    ActionModel,
    CustomSectionModel,
    DiagnosticModel,
    DivergenceModel,
    DocumentModel,
    ErrorModel,
    PartModel,
    QuestionModel,
    ReadingModel,
    RepairModel,
    ReplacementModel,
    ResultModel,
    SectionModel,
    SkippedModel,
    SpanModel,
    StepModel,
    ThoughtModel,
    VitalsModel,
)

__all__ = [
    "ActionModel",
    "BytesModel",
    "ChangeModel",
    "CommandResultModel",
    "CustomSectionModel",
    "DiagnosticModel",
    "DivergenceModel",
    "DocumentModel",
    "DoneModel",
    "ErrorModel",
    "EventModel",
    "OutcomeModel",
    "PartModel",
    "PlanModel",
    "QuestionModel",
    "ReadingModel",
    "RepairModel",
    "ReplacementModel",
    "ResultModel",
    "SectionModel",
    "SkippedModel",
    "SpanModel",
    "StepModel",
    "ThoughtModel",
    "UndoneModel",
    "VitalsModel",
]
