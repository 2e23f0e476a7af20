// The words below the options of `belay sim --help`. Apart from the command, so that other commands do not load it.

export const simHelp = `
Policies: no-retry, fixed-retry-3, retry-only, degrade-only, hfr, hfr-no-verifier,
hfr-no-idempotency, hfr-no-budget (the document's), and hfr-plus: Belay's own recovery code.

Parameter sets: J is fitted to all tables of the document, A to Tables 12 and 13 only.
A file holds one JSON object with the names of set J.

  belay sim --format md                        Tables 12 to 14 beside the document's figures
  belay sim --format md --sweep --incidents    Tables 15 and C1 too
  belay sim --policy hfr,hfr-plus --seeds 3    two policies, as JSON
  belay sim --exact                            exact expectations, without drawing a task
  belay sim --contention --format md           a world of its own: tenants that share providers which degrade
                                               under load, an incident, and Belay's budgets, breakers and
                                               bulkheads taken away one by one (--seeds and --format only)

Rates are percent, times seconds, costs in calls of the primary model.`;
