import type { UsdText } from '../../money/usdc.ts'

/** The range of `max_tokens` that a tier takes, and what counts where a call names none. */
export type MaxTokens = { readonly least?: number; readonly most: number; readonly standard?: number }

/** What is sold of one tier (specification 4.5). */
export type Tier = {
  /** Its name in the path and in the operator's file of models. Chosen: neutral, since the specification names none. */
  readonly name: string
  /** Of a call of the plain path. */
  readonly priceUsd: UsdText
  /** In the listing, where the specification states any. */
  readonly constraints: string
  /** Absent: as many as the upstream gives. */
  readonly maxTokens?: MaxTokens
  /** Most characters (code points) of all messages together. */
  readonly inputCharacters?: number
  /** Most characters (code points) of each message. */
  readonly messageCharacters?: number
}

const tier = (
  number: number,
  priceUsd: UsdText,
  more: Partial<Omit<Tier, 'name' | 'priceUsd'>> = {},
): Tier => ({
  name: `tier-${number}`,
  priceUsd,
  constraints: '',
  ...more,
})

/** The model of the path without a tier. */
export const DEFAULT_TIER: Tier = { name: 'default', priceUsd: '0.002856', constraints: '' }

/** Chosen: K is a thousand, as in the specification's other limits of characters. */
export const TIERS: readonly Tier[] = [
  tier(1, '0.002'),
  tier(2, '0.002237'),
  tier(3, '0.003139'),
  tier(4, '0.005214'),
  tier(5, '0.005783', {
    constraints: 'max_tokens 512-2048, default 1024.',
    maxTokens: { least: 512, most: 2048, standard: 1024 },
  }),
  tier(6, '0.007016'),
  tier(7, '0.007016'),
  tier(8, '0.007157', {
    constraints: 'max_tokens 512-4096, default 4096; reasoning tokens count toward max_tokens.',
    maxTokens: { least: 512, most: 4096, standard: 4096 },
  }),
  tier(9, '0.010497'),
  tier(10, '0.011974'),
  tier(11, '0.013259'),
  tier(12, '0.01385', {
    constraints: 'Input up to 36K characters, output 1024 tokens.',
    maxTokens: { most: 1024, standard: 1024 },
    inputCharacters: 36_000,
  }),
  tier(13, '0.016673'),
  tier(14, '0.023386', {
    constraints: 'Input 12K characters per message, output 2048 tokens.',
    maxTokens: { most: 2048, standard: 2048 },
    messageCharacters: 12_000,
  }),
  tier(15, '0.037526'),
]

export const ALL_TIERS: readonly Tier[] = [DEFAULT_TIER, ...TIERS]
