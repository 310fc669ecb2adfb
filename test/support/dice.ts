/** A small generator, so that a failure can be seen again. */
export function createDice(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { below, pick };
}
export type Dice = ReturnType<typeof createDice>;
