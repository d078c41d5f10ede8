"""Whether a report keeps to its schemas: docs/report.schema.json, and its instruction set's beside it."""
import json
from collections import Counter

import jsonschema

from .convert import DOCS


def breaches_of(report, name):
    """Of the schema in that file: where, and what."""
    schema = json.loads((DOCS / name).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    for e in jsonschema.Draft7Validator(schema).iter_errors(report):
        yield f"{'/'.join(map(str, e.absolute_path)) or 'document'}: {e.message[:200]}"


def breaches(report):
    """What breaks the schemas. The instruction set's is looked at where the common one is kept."""
    found = list(breaches_of(report, "report.schema.json"))
    if found:
        return found
    own = f"report-{report['isa']}.schema.json"
    found = list(breaches_of(report, own)) if (DOCS / own).exists() else [f"isa: there is no docs/{own}"]
    return found + list(repeated(report))


def repeated(report):
    """Names that two checks of a suite share, which no schema can forbid: a name says which check is meant."""
    for suite in report["suites"]:
        names = Counter(check["name"] for check in suite["checks"])
        yield from (f"{suite['name']}/{name}: {n} checks have this name" for name, n in names.items() if n > 1)
