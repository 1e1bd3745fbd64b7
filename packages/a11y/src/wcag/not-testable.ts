import {
  isAtMost,
  isSince,
  type Level,
  type NamedCriterion,
  nameCriterion,
  type Standard,
} from './success-criteria.ts'

type Row = readonly [sc: string, name: string, level: Level, since: Standard]

/** Criteria that markup alone cannot decide: they need a person, a layout, or the running page. */
const ROWS: readonly Row[] = [
  ['1.2.3', 'Audio Description or Media Alternative (Prerecorded)', 'A', 'wcag20'],
  ['1.2.4', 'Captions (Live)', 'AA', 'wcag20'],
  ['1.2.5', 'Audio Description (Prerecorded)', 'AA', 'wcag20'],
  ['1.3.2', 'Meaningful Sequence', 'A', 'wcag20'],
  ['1.3.3', 'Sensory Characteristics', 'A', 'wcag20'],
  ['1.4.1', 'Use of Color', 'A', 'wcag20'],
  ['1.4.5', 'Images of Text', 'AA', 'wcag20'],
  ['1.4.10', 'Reflow', 'AA', 'wcag21'],
  ['1.4.11', 'Non-text Contrast', 'AA', 'wcag21'],
  ['1.4.13', 'Content on Hover or Focus', 'AA', 'wcag21'],
  ['2.1.2', 'No Keyboard Trap', 'A', 'wcag20'],
  ['2.1.4', 'Character Key Shortcuts', 'A', 'wcag21'],
  ['2.3.1', 'Three Flashes or Below Threshold', 'A', 'wcag20'],
  ['2.4.3', 'Focus Order', 'A', 'wcag20'],
  ['2.4.5', 'Multiple Ways', 'AA', 'wcag20'],
  ['2.4.6', 'Headings and Labels', 'AA', 'wcag20'],
  ['2.4.7', 'Focus Visible', 'AA', 'wcag20'],
  ['2.4.11', 'Focus Not Obscured (Minimum)', 'AA', 'wcag22'],
  ['2.5.1', 'Pointer Gestures', 'A', 'wcag21'],
  ['2.5.2', 'Pointer Cancellation', 'A', 'wcag21'],
  ['2.5.4', 'Motion Actuation', 'A', 'wcag21'],
  ['2.5.7', 'Dragging Movements', 'AA', 'wcag22'],
  ['2.5.8', 'Target Size (Minimum)', 'AA', 'wcag22'],
  ['3.2.1', 'On Focus', 'A', 'wcag20'],
  ['3.2.2', 'On Input', 'A', 'wcag20'],
  ['3.2.3', 'Consistent Navigation', 'AA', 'wcag20'],
  ['3.2.4', 'Consistent Identification', 'AA', 'wcag20'],
  ['3.2.6', 'Consistent Help', 'A', 'wcag22'],
  ['3.3.1', 'Error Identification', 'A', 'wcag20'],
  ['3.3.3', 'Error Suggestion', 'AA', 'wcag20'],
  ['3.3.4', 'Error Prevention (Legal, Financial, Data)', 'AA', 'wcag20'],
  ['3.3.7', 'Redundant Entry', 'A', 'wcag22'],
  ['3.3.8', 'Accessible Authentication (Minimum)', 'AA', 'wcag22'],
  ['4.1.3', 'Status Messages', 'AA', 'wcag21'],
]

/** The criteria of levels A and AA in a WCAG version, up to a level, that only a person can judge. */
export function notTestable(standard: Standard, limit: Level): readonly NamedCriterion[] {
  return ROWS.filter(([, , level, since]) => isSince(since, standard) && isAtMost(level, limit)).map(
    ([sc, name, level]) => nameCriterion(sc, { name, level }),
  )
}
