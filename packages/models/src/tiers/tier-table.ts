import type { UsdText } from '@tollbook/chain/usdc'

/** The range of `max_tokens` that a tier accepts, and the default. */
export type MaxTokens = { readonly min?: number; readonly max: number; readonly standard?: number }

/** The metered variant of a tier, unless the operator's file overrides it. */
export type UptoOffer = {
  /** The listing price, which is the max price of a call. */
  readonly priceUsd: UsdText
  /** Dollars per million tokens: of the conversation, of its part that the upstream had cached, of the answer. */
  readonly rates: { readonly input: UsdText; readonly cached: UsdText; readonly output: UsdText }
  readonly outputTokens: number
}

/** The offer of one tier (specification 4.5). */
export type Tier = {
  /** Its name in the path and in the operator's file of models. Chosen: neutral, since the specification names none. */
  readonly name: string
  /** Price of a call of the plain path. */
  readonly priceUsd: UsdText
  /** In the listing, if the specification states any. */
  readonly constraints: string
  /** Absent: as many as the upstream returns. */
  readonly maxTokens?: MaxTokens
  /** Max characters (code points) of all messages together. */
  readonly inputCharacters?: number
  /** Max characters (code points) of each message. */
  readonly messageCharacters?: number
  readonly upto?: UptoOffer
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

/** @param perMillion dollars per million tokens of input, cached input and output */
function upto(
  priceUsd: UsdText,
  [input, cached, output]: readonly [UsdText, UsdText, UsdText],
  outputTokens: number,
): { readonly upto: UptoOffer } {
  return { upto: { priceUsd, rates: { input, cached, output }, outputTokens } }
}

/**
 * Chosen: the specification gives no rates. With them a call costs nearly its listing price at 131,072 tokens of input
 * (at 32,768 in tiers 3 and 8, at 65,536 in tier 10) and all of its output, and no more than that for any input above;
 * output costs four or five times the input, cached input half.
 */
const UPTO = {
  2: upto('0.015187', ['0.09', '0.045', '0.36'], 8_192),
  3: upto('0.004049', ['0.08', '0.04', '0.32'], 4_096),
  4: upto('0.041977', ['0.25', '0.125', '1'], 8_192),
  5: upto('0.043205', ['0.3', '0.15', '1.5'], 2_048),
  6: upto('0.044559', ['0.27', '0.135', '1.08'], 8_192),
  8: upto('0.019977', ['0.4', '0.2', '1.6'], 4_096),
  10: upto('0.028233', ['0.28', '0.14', '1.12'], 8_192),
}

/** Chosen: K is a thousand, as in the specification's other character limits. */
export const TIERS: readonly Tier[] = [
  tier(1, '0.002'),
  tier(2, '0.002237', UPTO[2]),
  tier(3, '0.003139', UPTO[3]),
  tier(4, '0.005214', UPTO[4]),
  tier(5, '0.005783', {
    constraints: 'max_tokens 512-2048, default 1024.',
    maxTokens: { min: 512, max: 2048, standard: 1024 },
    ...UPTO[5],
  }),
  tier(6, '0.007016', UPTO[6]),
  tier(7, '0.007016'),
  tier(8, '0.007157', {
    constraints: 'max_tokens 512-4096, default 4096; reasoning tokens count toward max_tokens.',
    maxTokens: { min: 512, max: 4096, standard: 4096 },
    ...UPTO[8],
  }),
  tier(9, '0.010497'),
  tier(10, '0.011974', UPTO[10]),
  tier(11, '0.013259'),
  tier(12, '0.01385', {
    constraints: 'Input up to 36K characters, output 1024 tokens.',
    maxTokens: { max: 1024, standard: 1024 },
    inputCharacters: 36_000,
  }),
  tier(13, '0.016673'),
  tier(14, '0.023386', {
    constraints: 'Input 12K characters per message, output 2048 tokens.',
    maxTokens: { max: 2048, standard: 2048 },
    messageCharacters: 12_000,
  }),
  tier(15, '0.037526'),
]

/** The name of the model of /v1/messages without a tier, in its answers and in the operator's file of models. */
export const MESSAGES_TIER = 'messages'

/** Those that are also sold by the token. */
export const METERED_TIERS: readonly Tier[] = TIERS.filter(({ upto }) => upto)

export const ALL_TIERS: readonly Tier[] = [DEFAULT_TIER, ...TIERS]

export function meteredNameOf(name: string): string {
  return `${name}/upto`
}
