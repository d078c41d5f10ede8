/* The page that compares reports. */
"use strict";

const parts = embedded("parts"), kinds = embedded("kinds");
const withAbsent = [...BY_SEVERITY, "absent"];

parts.forEach((part, i) => {
  if (part.changes.length)
    makeTable(`#changes${i}`,
        [
          verdictColumn("change", "kind", kinds), textColumn("suite", "suite"), textColumn("check", "name"),
          verdictColumn("before", "before", withAbsent), verdictColumn("after", "after", withAbsent),
          textColumn("counts and reasons", "text")
        ],
        part.changes, {order: []});
  if (part.measures.length)
    makeTable(`#measures${i}`,
        [textColumn("what", "name"), textColumn("before", "before"), textColumn("after", "after")], part.measures);
});
