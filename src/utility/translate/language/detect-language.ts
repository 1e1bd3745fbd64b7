import { loadDetector } from './load-detector.ts'

export type DetectedLanguages = {
  /** ISO 639-1 codes with their scores, 0 to 1, best first. */
  readonly scores: readonly (readonly [code: string, score: number])[]
  /** Whether the text is long and clear enough for the best one. */
  readonly isReliable: boolean
}

let loaded: ReturnType<typeof loadDetector> | undefined

/** The job that detects the language of prose, one of sixty; a thread loads the detector once. */
export async function detectLanguage({ text }: { readonly text: string }): Promise<DetectedLanguages> {
  loaded ??= loadDetector('large')
  const result = (await loaded).detect(text)
  const scores = Object.entries(result.getScores()).toSorted(([, one], [, other]) => other - one)
  return { scores, isReliable: result.isReliable() }
}
