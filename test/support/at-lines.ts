/**
 * The callers on both sides of each line that a rule draws between them, of those by ascending rights; the first and
 * the last where it draws none. The rule treats every other one as it treats one of these.
 */
export function atLines<Caller>(
  ascending: readonly Caller[],
  answer: (caller: Caller) => unknown,
): Caller[] {
  const answers = ascending.map(answer);
  const isDrawnBehind = (at: number) => at + 1 < answers.length && answers[at] !== answers[at + 1];
  const found = ascending.filter((_, at) => isDrawnBehind(at) || (at > 0 && isDrawnBehind(at - 1)));
  return found.length > 0
    ? found
    : [ascending[0], ascending.at(-1)].filter((one) => one !== undefined);
}
