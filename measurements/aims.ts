/** What a figure should reach. */
export type Aim = {
  /** As the figure's own line names it. */
  readonly area: string
  /** How the name of the figure begins. */
  readonly figure: string
  /** What is judged; default the value itself. */
  readonly of?: 'ratio'
  readonly atLeast?: number
  readonly atMost?: number
}

/** Bounds that the product was built to; whatever misses one stands first among the measurements. */
export const AIMS: readonly Aim[] = [
  { area: 'decode', figure: 'payments from raw answers', atLeast: 80_000 },
  { area: 'social', figure: 'posts imported with their words, SQLite', atLeast: 8_000 },
  { area: 'social', figure: 'posts told by id with their authors, in process, SQLite', atLeast: 50_000 },
  { area: 'social', figure: 'posts told by id over HTTP', of: 'ratio', atLeast: 0.8 },
  { area: 'social', figure: 'searches of eight kinds, p50, SQLite', atMost: 2 },
  { area: 'social', figure: 'searches of eight kinds, p99, SQLite', atMost: 40 },
  { area: 'social', figure: 'searches of eight kinds, p99, PostgreSQL', atMost: 250 },
  { area: 'inference', figure: 'processor time of whole chats', atMost: 500 },
  { area: 'inference', figure: 'first content beyond a direct call, p50', atMost: 5 },
  { area: 'article-extraction', figure: 'shingle F1', atLeast: 0.955 },
  { area: 'wcxb test', figure: 'word F1', atLeast: 0.885 },
  { area: 'commonmark', figure: 'examples', atLeast: 540 },
  { area: 'isemail', figure: 'addresses diagnosed alike', atLeast: 164 },
  { area: 'crash of sellers, sqlite, one at a time', figure: 'violations', atMost: 0 },
  { area: 'crash of indexers', figure: 'differences', atMost: 0 },
  { area: 'fuzz', figure: 'violations', atMost: 0 },
]
