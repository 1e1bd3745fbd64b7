/** What a process with an engine is told. */
export type ToEngine =
  | { readonly kind: 'load'; readonly settings: unknown }
  | { readonly kind: 'run'; readonly id: number; readonly order: unknown }
  | { readonly kind: 'stop'; readonly id: number }

/** What it says. */
export type FromEngine =
  | { readonly kind: 'loaded'; readonly about: unknown }
  /** In words for the operator. */
  | { readonly kind: 'unloadable'; readonly reason: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  /** The engine works; this order it does not take. */
  | { readonly kind: 'refusal'; readonly id: number; readonly refusal: unknown }
  /** In words for the log. */
  | { readonly kind: 'failure'; readonly id: number; readonly reason: string }
