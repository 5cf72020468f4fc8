/** Nouns by which something is measured or counted: a number before one of them belongs to it. */
const singular =
  /^(year|month|week|day|hour|minute|second|mile|kilomet(er|re)|met(er|re)|foot|inch|yard|pound|dollar|euro|cent|percent|per|degree|gram|kilo|kilogram|ton|tonne|lit(er|re)|gallon|watt|volt|page|piece|star|person|man)(-.+)?$/u;

/** "Five minutes", "five minute". */
export function isUnit(word: string): boolean {
  return isSingularUnit(word.replace(/s$/u, '')) || /^(feet|inches)$/u.test(word);
}

/** "A thirty two page letter". */
export function isSingularUnit(word: string): boolean {
  return singular.test(word);
}
