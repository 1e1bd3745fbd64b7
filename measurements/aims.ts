/** The value that a figure should reach. */
export type Aim = {
  /** The area, as in the figure's own line. */
  readonly area: string
  /** Name of the figure; a star matches any prefix or suffix. */
  readonly figure: string
  /** Beginning of the peer's name, if the figure has several peers. */
  readonly peer?: string
  /** The value to judge; default the value itself. */
  readonly of?: 'ratio'
  readonly atLeast?: number
  readonly atMost?: number
}

const PORTKEY = '@portkey-ai/gateway'

/** Bounds that the product was built to meet; figures that miss one are listed first in the measurements. */
export const AIMS: readonly Aim[] = [
  { area: 'unpaid', figure: '402 answers*', of: 'ratio', atLeast: 1 },
  { area: 'paid', figure: 'paid calls*', peer: '@x402/hono 2.27.0, signatures', of: 'ratio', atLeast: 3 },
  { area: 'chain', figure: 'payments settled, 16 at a time', of: 'ratio', atLeast: 5 },
  { area: 'chain', figure: 'calls paid by voucher*', of: 'ratio', atLeast: 5 },
  { area: 'facilitator', figure: 'settlements', atLeast: 3000 },
  { area: 'facilitator', figure: 'gas of a settlement', atMost: 46_000 },

  { area: 'decode', figure: 'payments from raw answers*', atLeast: 80_000 },
  { area: 'report', figure: 'ingest', atLeast: 250_000 },
  { area: 'report', figure: 'all merchants of a week', atMost: 5 },
  { area: 'report', figure: 'all merchants of a week, a quarter of them listed', of: 'ratio', atMost: 1.5 },
  { area: 'report', figure: 'largest resident set', atMost: 3000 },
  { area: 'report', figure: 'resident set, 48 million payments', atMost: 3000 },
  { area: 'week', figure: 'reports of all*', atMost: 2 },
  { area: 'served', figure: 'reports as JSON answers', of: 'ratio', atLeast: 0.8 },
  { area: 'served', figure: '304 answers', of: 'ratio', atLeast: 0.8 },

  { area: 'memory', figure: 'resident memory*', of: 'ratio', atMost: 1.1 },
  { area: 'event-loop', figure: 'delay of the loop*', atMost: 20 },
  { area: 'wcxb test', figure: 'word F1', atLeast: 0.885 },
  { area: 'wcxb dev', figure: 'ms a page, p95', atMost: 400 },
  { area: 'article-extraction', figure: 'shingle F1', atLeast: 0.955 },
  { area: 'commonmark', figure: 'examples that come back*', atLeast: 540 },
  { area: 'a11y', figure: 'failed ACT cases found', atLeast: 200 },
  { area: 'a11y', figure: 'false alarms on passed*', atMost: 2 },
  { area: 'a11y', figure: 'failed ACT cases about pictures found', atLeast: 21 },
  { area: 'a11y', figure: 'failed cases of qt1vmo found', atLeast: 3 },
  { area: 'a11y', figure: 'failed cases of 9eb3f6 found', atLeast: 5 },
  { area: 'a11y', figure: 'failed cases of e88epe found', atLeast: 5 },
  { area: 'a11y', figure: 'ms a page, p95', atMost: 500 },
  { area: 'isemail', figure: 'addresses diagnosed alike', atLeast: 164 },
  { area: 'pdf', figure: 'word F1, mean of all born-digital files', atLeast: 0.95 },
  { area: 'pdf dev', figure: 'word F1, mean', atLeast: 0.95 },
  { area: 'pdf held-out', figure: 'word F1, mean', atLeast: 0.95 },
  { area: 'ocr', figure: 'character errors, mean', atMost: 0.02 },
  { area: 'ocr', figure: 'character errors, worst', atMost: 0.02 },
  { area: 'ocr', figure: 'photographs*', atMost: 0 },
  { area: 'summaries test', figure: 'ROUGE-1, these summaries', atLeast: 0.29 },
  ...['odd', 'selqa test', 'squad odd'].map(
    (name): Aim => ({ area: `answers ${name}`, figure: 'answers that are right', atLeast: 0.9 }),
  ),

  { area: 'social', figure: 'posts imported with their words, SQLite', atLeast: 8000 },
  { area: 'social', figure: 'posts by id with their authors, in process, SQLite', atLeast: 50_000 },
  {
    area: 'social',
    figure: 'posts by id over HTTP*',
    peer: 'hono 4.13.19, one bare route that asks',
    of: 'ratio',
    atLeast: 0.8,
  },
  { area: 'social', figure: 'searches of eight kinds, p50, SQLite', atMost: 2 },
  { area: 'social', figure: 'searches of eight kinds, p99, SQLite', atMost: 40 },
  { area: 'social', figure: 'searches of eight kinds, p99, PostgreSQL', atMost: 250 },

  { area: 'inference', figure: 'processor time of whole chats', atMost: 500 },
  { area: 'inference', figure: 'processor time of whole chats', peer: PORTKEY, of: 'ratio', atMost: 1 },
  { area: 'inference', figure: 'first content beyond a direct call, p50', atMost: 5 },
  { area: 'inference', figure: 'a word of 500 streams behind its writing, p99', of: 'ratio', atMost: 1 },
  { area: 'inference', figure: 'processor time of a stream*', of: 'ratio', atMost: 1 },

  ...[
    'lying-wallet',
    'dear-wallet',
    'drain-in-block',
    'drain-relayed',
    'drain-swept',
    'ring-reused',
    'roaming-purse',
    'engine-work',
    'high-base-fee',
  ].map((name): Aim => ({ area: `attack ${name}`, figure: 'loss of the seller*', atMost: 0 })),
  { area: 'attack unsigned-bodies', figure: 'p99 of /healthz*', atMost: 100 },

  { area: 'start', figure: 'first start to ready', atMost: 60 },
  { area: 'start', figure: 'payment to merchant report', atMost: 15 },
  { area: 'calc', figure: 'slowest expression', atMost: 250 },
  { area: 'calc', figure: 'typed expressions wrong', atMost: 0 },
  { area: 'calc', figure: 'conversions of pairs of units*', atLeast: 1238 },
  { area: 'calc', figure: 'typed expressions refused without need', atMost: 0 },
  { area: 'calc', figure: 'typed expressions on which the judges disagree', atMost: 0 },

  { area: 'crash of *', figure: 'violations', atMost: 0 },
  { area: 'crash of indexers', figure: 'differences', atMost: 0 },
  { area: 'fuzz', figure: 'violations', atMost: 0 },
  { area: 'fuzz of expressions', figure: 'violations', atMost: 0 },
  { area: 'cluster', figure: 'differences', atMost: 0 },
  { area: 'cluster', figure: 'answered, of those begun outside*', atLeast: 99 },
  { area: 'soak', figure: 'differences', atMost: 0 },
  { area: 'soak', figure: '*event-loop delay p99.9*', atMost: 50 },
  { area: 'soak', figure: '*memory, last*', atMost: 1.1 },
]
