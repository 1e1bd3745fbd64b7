import type { AtomicUsdc } from '@tollbook/chain/usdc'

export type StreamPiece = {
  readonly bytes: Uint8Array
  /** Whether the piece carries content that the caller paid for, rather than a preamble. */
  readonly isContent: boolean
  /** On metered endpoints, micro-USDC up to and including this piece; the gate applies the minimum. */
  readonly chargeSoFar?: AtomicUsdc
  /** Readers of the format stop here: the receipt is sent before it, and nothing after it. */
  readonly isEnd?: boolean
}

/** What a handler returns. Every kind is charged; only a thrown ProblemError is not. */
export type Answer<Output = unknown> =
  | {
      readonly kind: 'json'
      readonly body: Output
      readonly status: 200 | 201
      readonly headers: Readonly<Record<string, string>>
      /** The metered charge; absent on endpoints with a fixed price. */
      readonly charge?: AtomicUsdc
    }
  | {
      readonly kind: 'bytes'
      readonly body: Uint8Array
      readonly contentType: string
      readonly headers: Readonly<Record<string, string>>
      readonly charge?: AtomicUsdc
    }
  | {
      /** What a handler of another framework wrote. */
      readonly kind: 'response'
      /** 200 to 299. */
      readonly status: number
      /** Lower-case names. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
      readonly charge?: AtomicUsdc
    }
  | {
      readonly kind: 'stream'
      /** 200 to 299; default 200. */
      readonly status?: number
      /** Besides the content type; lower-case names. */
      readonly headers?: Readonly<Record<string, string>>
      readonly pieces: AsyncIterable<StreamPiece>
      readonly contentType: string
      /** Wraps human-readable text, such as the receipt, as a comment of the stream's format. */
      readonly toComment: (text: string) => Uint8Array
    }
