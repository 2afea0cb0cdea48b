// Whether what was written, what is recorded and what the receivers got agree, once all is at rest.

/**
 * @param receivers by the id of their hook
 * @returns what is wrong
 */
export function check(state, ledger, receivers) {
  return [
    ...ledger.problems,
    ...unfinished(state),
    ...state.deliveries.flatMap((delivery) => wrongWith(delivery, receivers.get(delivery.hookId))),
    ...repeatedUnderOtherIds(state),
    ...unrecorded(state, receivers),
    ...wrongEvents(state, ledger, [...receivers.values()]),
  ];
}

function unfinished({ undone, jobs, untold }) {
  return [
    ...(undone.pushes > 0 ? [`${undone.pushes} pushes are not recorded`] : []),
    ...jobs.map((job) => `left in the outbox: ${JSON.stringify(job)}`),
    ...untold.map(({ id, kind }) => `event ${id} (${kind}) is told to nobody`),
  ];
}

function wrongWith(delivery, receiver) {
  const { id, messageId, state, body } = delivery;
  const message = receiver?.messages.get(messageId);
  const problems = [];
  if (state !== 'delivered') problems.push(`is ${state}: ${JSON.stringify(delivery)}`);
  if (!message?.answers) problems.push(`(${messageId}) was never answered with success`);
  const bodies = [...(message?.bodies ?? [])];
  if (bodies.some((sent) => sent !== body)) problems.push(`(${messageId}) came with other bytes`);
  return problems.map((problem) => `delivery ${id} ${problem}`);
}

/** There is one id for each event and hook, and one event and hook for each id. */
function repeatedUnderOtherIds({ deliveries }) {
  const ids = new Set(deliveries.map(({ messageId }) => messageId));
  const pairs = new Set(deliveries.map(({ eventId, hookId }) => `${eventId} ${hookId}`));
  if (ids.size === deliveries.length && pairs.size === deliveries.length) return [];
  return [`${deliveries.length} deliveries have ${ids.size} ids, for ${pairs.size} pairs`];
}

/** What came although nothing of the kind was committed. */
function unrecorded({ deliveries }, receivers) {
  const recorded = new Set(deliveries.map(({ hookId, messageId }) => `${hookId} ${messageId}`));
  return [...receivers].flatMap(([hookId, { name, messages }]) =>
    [...messages.values()]
      .filter(({ id }) => !recorded.has(`${hookId} ${id}`))
      .map(({ id, event }) => `${name} got ${event} as "${id}", which is not recorded`),
  );
}

/** Each write that is there is told of once where it should be, and nothing else is told of. */
function wrongEvents({ written }, ledger, receivers) {
  const problems = [];
  const expected = new Set();
  for (const { name, tells, isAcknowledged } of ledger.writes.values()) {
    if (isAcknowledged && !written.has(name)) problems.push(`${name} was acknowledged and lost`);
    if (!written.has(name)) continue;
    for (const [receiver, events] of Object.entries(tells)) {
      for (const event of events) expected.add(`${receiver}: ${event}`);
    }
  }
  const told = receivers.flatMap(({ name, messages }) =>
    [...messages.values()].map(({ event }) => `${name}: ${event}`),
  );
  const seen = new Set();
  for (const event of told) {
    if (!expected.has(event)) problems.push(`told of what was not written: ${event}`);
    if (seen.has(event)) problems.push(`told under two ids: ${event}`);
    seen.add(event);
  }
  for (const event of expected) if (!seen.has(event)) problems.push(`never told: ${event}`);
  return problems;
}
