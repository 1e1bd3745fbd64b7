import { deflateSync } from 'node:zlib'
import type { TranscriptSegment, TranscriptWord } from './transcriber.ts'

type HeardWord = TranscriptWord & { readonly probability: number }
type HeardSegment = TranscriptSegment & { readonly words: readonly TranscriptWord[] }

/**
 * A word, its start and end in seconds, and its posterior probability; a variant of its pronunciation is
 * `word(2)`.
 */
const LINE = /^(\S+?)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/
/** Silence, noise, and the markers of start and end. */
const NO_WORD = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/
/** A pause that ends a segment. Chosen: pauses between the words of a sentence are shorter. */
const PAUSE_SECONDS = 0.3
/** Chosen: the max time of a subtitle (BBC subtitle guidelines: 7 seconds are plenty). */
const MAX_SECONDS = 7

/**
 * Parses the output of `pocketsphinx_continuous -time yes`: for each utterance a line of text, then a line
 * for each word. The words are split into segments at pauses.
 * @param seconds length of the whole recording; later times are cut to it
 */
export function toSegments(written: string, seconds: number): readonly HeardSegment[] {
  const segments: HeardWord[][] = []
  for (const word of written.split('\n').flatMap((line) => toWord(line, seconds))) {
    const open = segments.at(-1)
    const [first] = open ?? []
    const last = open?.at(-1)
    const goesOn =
      first && last && word.start - last.end < PAUSE_SECONDS && word.end - first.start <= MAX_SECONDS
    if (goesOn) open?.push(word)
    else segments.push([word])
  }
  return segments.map(toSegment)
}

function toWord(line: string, seconds: number): readonly HeardWord[] {
  const [, word, start, end, probability] = LINE.exec(line) ?? []
  if (word === undefined || NO_WORD.test(word)) return []
  const begin = Math.min(Number(start), seconds)
  // Estimates of the probability go up to 1.0003.
  return [
    {
      word,
      start: begin,
      end: Math.max(begin, Math.min(Number(end), seconds)),
      probability: Math.min(1, Number(probability)),
    },
  ]
}

function toSegment(words: readonly HeardWord[]): HeardSegment {
  const text = words.map(({ word }) => word).join(' ')
  // A word's probability is printed with 6 decimals, so 0 means at most half of the last one.
  const logs = words.map(({ probability }) => Math.log(Math.max(probability, 5e-7)))
  return {
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    text,
    avg_logprob: round(logs.reduce((sum, log) => sum + log, 0) / logs.length),
    // As whisper computes it (openai/whisper, whisper/utils.py): bytes of text per byte of zlib output.
    compression_ratio: round(Buffer.byteLength(text) / deflateSync(text).length),
    words: words.map(({ word, start, end }) => ({ word, start, end })),
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
