import type { Headers } from '../../../fetching/fetched-answer.ts'

export type JsonAnswer = {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; undefined if it is not valid JSON, such as a truncated body. */
  readonly json: unknown
}
