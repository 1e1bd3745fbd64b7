import { ICON_ATTRIBUTION, ICON_LICENCE } from '../../../../../engines/icons/icon-set.ts'

/** A request and its answer. */
export const ICON_SEARCH_EXAMPLE = {
  input: { q: 'settings', limit: 1 },
  output: {
    query: 'settings',
    total: 23,
    icons: [
      {
        name: 'gear',
        label: 'Gear',
        styles: ['solid' as const],
        terms: [
          'adjust',
          'cog',
          'cogwheel',
          'configuration',
          'control',
          'gear',
          'mechanical',
          'modify',
          'options',
          'preferences',
          'settings',
          'setup',
          'sprocket',
          'tool',
          'wheel',
        ],
        aliases: ['cog'],
        unicode: 'f013',
        score: 1,
      },
    ],
    license: ICON_LICENCE,
    attribution: ICON_ATTRIBUTION,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
