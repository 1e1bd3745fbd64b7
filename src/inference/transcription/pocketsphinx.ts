import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTemporaryFolder } from '../engine/in-temporary-folder.ts'
import { type Programs, runsHere } from '../engine/run-program.ts'
import { HEARD_RATE } from '../sound/decode-recording.ts'
import { toWav } from '../sound/write-wav.ts'
import { toSegments } from './pocketsphinx-segments.ts'
import type { Transcriber } from './transcriber.ts'

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
