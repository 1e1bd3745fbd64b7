export type ToEngine =
  | { readonly kind: 'load'; readonly settings: unknown }
  | { readonly kind: 'run'; readonly id: number; readonly order: unknown }
  | { readonly kind: 'stop'; readonly id: number }
  /** To the request of this number. */
  | { readonly kind: 'response'; readonly request: number; readonly value: unknown }

export type FromEngine =
  | { readonly kind: 'loaded'; readonly about: unknown }
  /** Human-readable, for the operator. */
  | { readonly kind: 'unloadable'; readonly reason: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: unknown }
  /** What an order needs from the server; `request` is its number. */
  | { readonly kind: 'request'; readonly id: number; readonly request: number; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  /** The engine works, but rejects this order. */
  | { readonly kind: 'refusal'; readonly id: number; readonly refusal: unknown }
  /** Human-readable, for the log. */
  | { readonly kind: 'failure'; readonly id: number; readonly reason: string }
