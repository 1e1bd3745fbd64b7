import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { inTemporaryFolder } from '../engine/in-temporary-folder.ts'
import { type Programs, runsHere } from '../engine/run-program.ts'
import { HEARD_RATE } from '../sound/decode-recording.ts'
import { toWav } from '../sound/write-wav.ts'
import type { Transcriber, TranscriptSegment, TranscriptWord } from './transcriber.ts'

type HeardWord = TranscriptWord & { readonly probability: number }
type HeardSegment = TranscriptSegment & { readonly words: readonly TranscriptWord[] }

/** A word, its start and end in seconds, and its posterior probability; a variant of its pronunciation is `word(2)`. */
const LINE = /^(\S+?)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/
/** Silence, noise, and the markers of start and end. */
const NO_WORD = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/
/** A pause that ends a segment. Chosen: pauses between the words of a sentence are shorter. */
const PAUSE_SECONDS = 0.3
/** Chosen: the max time of a subtitle (BBC subtitle guidelines: 7 seconds are plenty). */
const MAX_SECONDS = 7

const PROGRAM = 'pocketsphinx_continuous'
/** From the Debian package pocketsphinx-en-us. */
const MODEL = '/usr/share/pocketsphinx/model/en-us/en-us/mdef'
/** It uses a quarter to a third of the recording's length of one core, more for noise. */
const DEADLINE_MS = 240_000
const MAX_BYTES = 4_000_000

/** PocketSphinx with its model of American English; null if it is not installed. */
export async function openPocketsphinx(programs: Programs): Promise<Transcriber | null> {
  const hasModel = await access(MODEL).then(
    () => true,
    () => false,
  )
  if (!hasModel || !(await runsHere(PROGRAM))) return null
  return {
    engine: 'pocketsphinx',
    languages: ['en'],
    takesHints: false,
    transcribe: ({ recording }, signal) =>
      inTemporaryFolder(async (folder) => {
        const file = join(folder, 'recording.wav')
        await writeFile(file, toWav(recording.pcm, HEARD_RATE))
        const written = await programs.run(
          {
            program: PROGRAM,
            args: ['-infile', file, '-time', 'yes', '-logfn', '/dev/null'],
            maxBytes: MAX_BYTES,
            deadlineMs: DEADLINE_MS,
          },
          signal,
        )
        const segments = toSegments(Buffer.from(written).toString(), recording.seconds)
        return {
          text: segments.map(({ text }) => text).join(' '),
          language: 'english',
          segments: segments.map(({ words: _, ...segment }) => segment),
          words: segments.flatMap(({ words }) => words),
        }
      }),
  }
}

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
