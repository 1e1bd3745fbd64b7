import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { providedValue, withOtherNames } from '@tollbook/endpoints/other-names'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { ICON_STYLES } from '../../../../engines/icons/icon-outline.ts'
import { ICON_ATTRIBUTION, ICON_LICENCE } from '../../../../engines/icons/icon-set.ts'
import type { UtilityPorts } from '../../../../ports.ts'

const QUERY = ['q', 'query', 'keyword'] as const

const search = defineJob<typeof import('./search-icons.ts').searchIcons>({
  module: new URL('./search-icons.ts', import.meta.url),
  name: 'searchIcons',
  deadlineMs: 8_000,
})

const words = z.string().trim().min(1).max(200)
const style = z.enum(ICON_STYLES)

const input = withOtherNames(
  z.object({
    q: words
      .describe('A keyword, a name or a few English words, such as settings or shopping cart.')
      .optional(),
    query: words.describe('Same as q.').optional(),
    keyword: words.describe('Same as q.').optional(),
    style: style.optional().describe('Only icons with this style.'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(50)
      .default(20)
      .describe('Maximum number of icons in the answer.'),
  }),
  QUERY,
)

type Input = z.output<typeof input>

/** A request and its answer. */
const ICON_SEARCH_EXAMPLE = {
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

export const iconSearch = defineEndpoint({
  id: 'icon-search',
  method: 'GET',
  path: '/api/icon/search',
  pricing: { kind: 'exact', priceUsd: '0.002' },
  summary: 'Search for an icon',
  description:
    'Icons of Font Awesome Free (1,992 of them) for a keyword, ranked by relevance: name, label, styles, terms, former names. Tolerates typos and knows common synonyms. Draw the chosen one with POST /api/icon/generate.',
  input,
  output: z.object({
    query: z.string(),
    total: z.int().describe('Number of all matching icons.'),
    icons: z.array(
      z.object({
        name: z.string().describe('Value for icon of /api/icon/generate.'),
        label: z.string(),
        styles: z.array(style),
        terms: z.array(z.string()),
        aliases: z.array(z.string()).describe('Aliases and former names.'),
        unicode: z.string().describe('Code point in the fonts, in hexadecimal.'),
        score: z.number().describe('Relevance relative to the first icon, whose score is 1.'),
      }),
    ),
    license: z.string(),
    attribution: z.string().describe('Attribution that the licence requires.'),
    ts: z.iso.datetime(),
  }),
  example: ICON_SEARCH_EXAMPLE,
  limits: { bodyBytes: 4096, timeoutMs: 10_000 },
  findEmptiness: ({ icons }) => (icons.length > 0 ? null : { detail: 'No icon was found.' }),
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { style: wanted, limit, ...names } = args
    const query = providedValue(names, QUERY)
    const { total, icons } = await ports.workers.run(search, { query, style: wanted ?? null, limit }, signal)
    return json({
      query,
      total,
      icons,
      license: ICON_LICENCE,
      attribution: ICON_ATTRIBUTION,
      ts: now.toISOString(),
    })
  },
})
