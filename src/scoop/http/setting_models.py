"""Request bodies for adding and changing a noun, made from the definition of its settings (`actions.settings`)."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, create_model

from scoop.actions.settings import Setting
from scoop.http.params import RequestModel, storable

_Item = Annotated[str, Field(min_length=1), AfterValidator(storable)]


def patch_model(name: str, settings: Iterable[Setting]) -> type[RequestModel]:
    """The body of a PATCH: a setting that is left out stays as it is, one that is null becomes its default again."""
    fields = {setting.attribute: _optional(setting) for setting in settings if not setting.is_fixed}
    return create_model(name, __base__=RequestModel, **fields)  # type: ignore[call-overload, no-any-return]


def new_model(name: str, settings: Iterable[Setting], **defaults: Any) -> type[RequestModel]:
    """The body of a POST: required settings, unless `defaults` has a value for them, and those with a default."""
    fields = {
        setting.attribute: (_bounded(setting), _described(setting, defaults.get(setting.name, ...)))
        if setting.is_required
        else _optional(setting)
        for setting in settings
    }
    return create_model(name, __base__=RequestModel, **fields)  # type: ignore[call-overload, no-any-return]


def read(settings: Iterable[Setting], body: RequestModel) -> dict[str, Any]:
    """The values that a body has, by the names of their settings."""
    values = body.model_dump(exclude_unset=True)
    return {setting.name: values[setting.attribute] for setting in settings if setting.attribute in values}


def _optional(setting: Setting) -> tuple[Any, Any]:
    return _bounded(setting) | None, _described(setting, None)


def _described(setting: Setting, default: Any) -> Any:
    return Field(default=default, description=setting.about)


def _bounded(setting: Setting) -> Any:
    """The type of a setting with its bounds, refusing text that the database cannot store."""
    if setting.type is bool or setting.choices:
        return setting.type
    if setting.type is int:
        return Annotated[int, Field(ge=setting.least, le=setting.most)]
    least = None if setting.is_table else setting.least
    bounds = Field(min_length=least, max_length=setting.most, pattern=setting.pattern)
    expected = list[_Item] if setting.type == list[str] else setting.type
    return Annotated[expected, bounds, AfterValidator(storable)]
