export type Level = 'A' | 'AA' | 'AAA'
export type Standard = 'wcag20' | 'wcag21' | 'wcag22'

type Criterion = {
  readonly name: string
  readonly level: Level
  /** The first version with this criterion; all later versions have it, unless `lastIn` is set. */
  readonly since: Standard
  readonly lastIn?: Standard
}

export type CriterionNumber = keyof typeof CRITERIA

/** The success criteria that the rules cover (https://www.w3.org/TR/WCAG22/). */
const CRITERIA = {
  '1.1.1': { name: 'Non-text Content', level: 'A', since: 'wcag20' },
  '1.2.1': {
    name: 'Audio-only and Video-only (Prerecorded)',
    level: 'A',
    since: 'wcag20',
  },
  '1.2.2': { name: 'Captions (Prerecorded)', level: 'A', since: 'wcag20' },
  '1.3.1': { name: 'Info and Relationships', level: 'A', since: 'wcag20' },
  '1.3.4': { name: 'Orientation', level: 'AA', since: 'wcag21' },
  '1.3.5': { name: 'Identify Input Purpose', level: 'AA', since: 'wcag21' },
  '1.4.2': { name: 'Audio Control', level: 'A', since: 'wcag20' },
  '1.4.3': { name: 'Contrast (Minimum)', level: 'AA', since: 'wcag20' },
  '1.4.4': { name: 'Resize Text', level: 'AA', since: 'wcag20' },
  '1.4.6': { name: 'Contrast (Enhanced)', level: 'AAA', since: 'wcag20' },
  '1.4.12': { name: 'Text Spacing', level: 'AA', since: 'wcag21' },
  '2.1.1': { name: 'Keyboard', level: 'A', since: 'wcag20' },
  '2.1.3': { name: 'Keyboard (No Exception)', level: 'AAA', since: 'wcag20' },
  '2.2.1': { name: 'Timing Adjustable', level: 'A', since: 'wcag20' },
  '2.2.2': { name: 'Pause, Stop, Hide', level: 'A', since: 'wcag20' },
  '2.2.4': { name: 'Interruptions', level: 'AAA', since: 'wcag20' },
  '2.4.1': { name: 'Bypass Blocks', level: 'A', since: 'wcag20' },
  '2.4.2': { name: 'Page Titled', level: 'A', since: 'wcag20' },
  '2.4.4': {
    name: 'Link Purpose (In Context)',
    level: 'A',
    since: 'wcag20',
  },
  '2.4.9': {
    name: 'Link Purpose (Link Only)',
    level: 'AAA',
    since: 'wcag20',
  },
  '2.5.3': { name: 'Label in Name', level: 'A', since: 'wcag21' },
  '3.1.1': { name: 'Language of Page', level: 'A', since: 'wcag20' },
  '3.1.2': { name: 'Language of Parts', level: 'AA', since: 'wcag20' },
  '3.2.5': { name: 'Change on Request', level: 'AAA', since: 'wcag20' },
  '4.1.1': { name: 'Parsing', level: 'A', since: 'wcag20', lastIn: 'wcag21' },
  '4.1.2': { name: 'Name, Role, Value', level: 'A', since: 'wcag20' },
} as const satisfies Readonly<Record<string, Criterion>>

export type NamedCriterion = {
  readonly sc: string
  readonly name: string
  readonly level: Level
  readonly url: string
}

const ORDER: readonly Standard[] = ['wcag20', 'wcag21', 'wcag22']

/** The criteria that a WCAG version contains, in the order of `numbers`. */
export function criteriaIn(
  numbers: readonly CriterionNumber[],
  standard: Standard,
): readonly NamedCriterion[] {
  return numbers.flatMap((sc) => {
    const criterion: Criterion = CRITERIA[sc]
    const isIn = isSince(criterion.since, standard) && isSince(standard, criterion.lastIn ?? 'wcag22')
    return isIn ? [nameCriterion(sc, criterion)] : []
  })
}

/** Whether the one version is the other, or precedes it. */
export function isSince(one: Standard, other: Standard): boolean {
  return ORDER.indexOf(one) <= ORDER.indexOf(other)
}

/** With its page in "Understanding WCAG 2.2", which is named after it. */
export function nameCriterion(
  sc: string,
  { name, level }: Pick<Criterion, 'name' | 'level'>,
): NamedCriterion {
  const page = name
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.join('-')
  return { sc, name, level, url: `https://www.w3.org/WAI/WCAG22/Understanding/${page}` }
}

const LEVELS: readonly Level[] = ['A', 'AA', 'AAA']

export function isAtMost(level: Level, limit: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(limit)
}

/** The least strict of the levels; it decides whether a rule runs. */
export function minLevel(criteria: readonly NamedCriterion[]): Level | null {
  return LEVELS.find((level) => criteria.some((one) => one.level === level)) ?? null
}
