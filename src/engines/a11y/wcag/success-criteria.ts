export type Level = 'A' | 'AA' | 'AAA'
export type Standard = 'wcag20' | 'wcag21' | 'wcag22'

type Criterion = {
  readonly name: string
  readonly level: Level
  /** The first version with this criterion; all later versions have it, unless `lastIn` is set. */
  readonly since: Standard
  readonly lastIn?: Standard
  /** The name of its page in "Understanding WCAG 2.2". */
  readonly page: string
}

export type CriterionNumber = keyof typeof CRITERIA

/** The success criteria that the rules cover (https://www.w3.org/TR/WCAG22/). */
const CRITERIA = {
  '1.1.1': { name: 'Non-text Content', level: 'A', since: 'wcag20', page: 'non-text-content' },
  '1.2.1': {
    name: 'Audio-only and Video-only (Prerecorded)',
    level: 'A',
    since: 'wcag20',
    page: 'audio-only-and-video-only-prerecorded',
  },
  '1.2.2': { name: 'Captions (Prerecorded)', level: 'A', since: 'wcag20', page: 'captions-prerecorded' },
  '1.3.1': { name: 'Info and Relationships', level: 'A', since: 'wcag20', page: 'info-and-relationships' },
  '1.3.4': { name: 'Orientation', level: 'AA', since: 'wcag21', page: 'orientation' },
  '1.3.5': { name: 'Identify Input Purpose', level: 'AA', since: 'wcag21', page: 'identify-input-purpose' },
  '1.4.2': { name: 'Audio Control', level: 'A', since: 'wcag20', page: 'audio-control' },
  '1.4.3': { name: 'Contrast (Minimum)', level: 'AA', since: 'wcag20', page: 'contrast-minimum' },
  '1.4.4': { name: 'Resize Text', level: 'AA', since: 'wcag20', page: 'resize-text' },
  '1.4.6': { name: 'Contrast (Enhanced)', level: 'AAA', since: 'wcag20', page: 'contrast-enhanced' },
  '1.4.12': { name: 'Text Spacing', level: 'AA', since: 'wcag21', page: 'text-spacing' },
  '2.1.1': { name: 'Keyboard', level: 'A', since: 'wcag20', page: 'keyboard' },
  '2.1.3': { name: 'Keyboard (No Exception)', level: 'AAA', since: 'wcag20', page: 'keyboard-no-exception' },
  '2.2.1': { name: 'Timing Adjustable', level: 'A', since: 'wcag20', page: 'timing-adjustable' },
  '2.2.2': { name: 'Pause, Stop, Hide', level: 'A', since: 'wcag20', page: 'pause-stop-hide' },
  '2.2.4': { name: 'Interruptions', level: 'AAA', since: 'wcag20', page: 'interruptions' },
  '2.4.1': { name: 'Bypass Blocks', level: 'A', since: 'wcag20', page: 'bypass-blocks' },
  '2.4.2': { name: 'Page Titled', level: 'A', since: 'wcag20', page: 'page-titled' },
  '2.4.4': {
    name: 'Link Purpose (In Context)',
    level: 'A',
    since: 'wcag20',
    page: 'link-purpose-in-context',
  },
  '2.4.9': {
    name: 'Link Purpose (Link Only)',
    level: 'AAA',
    since: 'wcag20',
    page: 'link-purpose-link-only',
  },
  '2.5.3': { name: 'Label in Name', level: 'A', since: 'wcag21', page: 'label-in-name' },
  '3.1.1': { name: 'Language of Page', level: 'A', since: 'wcag20', page: 'language-of-page' },
  '3.1.2': { name: 'Language of Parts', level: 'AA', since: 'wcag20', page: 'language-of-parts' },
  '3.2.5': { name: 'Change on Request', level: 'AAA', since: 'wcag20', page: 'change-on-request' },
  '4.1.1': { name: 'Parsing', level: 'A', since: 'wcag20', lastIn: 'wcag21', page: 'parsing' },
  '4.1.2': { name: 'Name, Role, Value', level: 'A', since: 'wcag20', page: 'name-role-value' },
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
  const at = ORDER.indexOf(standard)
  return numbers.flatMap((sc) => {
    const criterion: Criterion = CRITERIA[sc]
    const last = ORDER.indexOf(criterion.lastIn ?? 'wcag22')
    if (at < ORDER.indexOf(criterion.since) || at > last) return []
    const url = `https://www.w3.org/WAI/WCAG22/Understanding/${criterion.page}`
    return [{ sc, name: criterion.name, level: criterion.level, url }]
  })
}

const LEVELS: readonly Level[] = ['A', 'AA', 'AAA']

export function isAtMost(level: Level, limit: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(limit)
}

/** The least strict of the levels; it decides whether a rule runs. */
export function minLevel(criteria: readonly NamedCriterion[]): Level | null {
  return LEVELS.find((level) => criteria.some((one) => one.level === level)) ?? null
}
