import type { Headers } from '../../../fetching/fetched-answer.ts'

export type JsonAnswer = {
  readonly status: number
  readonly headers: Headers
  /** What the body holds; undefined where it is no JSON, such as half of it. */
  readonly json: unknown
}
