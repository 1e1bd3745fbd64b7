import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createPrograms } from '../engine/run-program.ts'
import type { RecordingKind } from '../sound/recording-kind.ts'
import { toWav } from '../sound/write-wav.ts'
import { findDecodableKinds, openRecording } from './open-recording.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const programs = createPrograms()
const signal = new AbortController().signal
const skip = (await findDecodableKinds()).includes('mp3') ? false : 'mpg123 is not installed'

/** Seconds of a file by its samples, or the code with which it is rejected. */
async function open(bytes: Uint8Array, kind: RecordingKind): Promise<number | string> {
  try {
    const { seconds, pcm } = await openRecording({ bytes, kind }, { workers, programs }, signal)
    // 16,000 samples of 2 bytes per second.
    assert.ok(Math.abs(pcm.length / 32_000 - seconds) < 1e-4)
    return seconds
  } catch (error) {
    assert.ok(error instanceof ProblemError, `${error}`)
    return error.problem.code
  }
}

/**
 * Silence of 8,000 samples per second and 2 bytes, whose header declares another size of the samples, or of
 * the file.
 */
function wavOf(seconds: number, reported: { readonly samples?: number; readonly file?: number }): Uint8Array {
  const wav = Buffer.from(toWav(new Uint8Array(seconds * 16_000), 8_000))
  if (reported.file !== undefined) wav.writeUInt32LE(reported.file, 4)
  if (reported.samples !== undefined) wav.writeUInt32LE(reported.samples, 40)
  return wav
}

test('a WAV is as long as its actual samples, whatever its header declares', async () => {
  // Unknown sizes as programs write them, a size beyond the file, and a wrong one of the whole file.
  for (const samples of [0xffff_ffff, 0x7fff_f000, 0, 1_000_000_000])
    assert.equal(await open(wavOf(2, { samples }), 'wav'), 2)
  for (const file of [0, 0xffff_ffff, 36]) assert.equal(await open(wavOf(2, { file }), 'wav'), 2)
  // What follows the declared samples is another chunk, which is neither transcribed nor paid.
  assert.equal(await open(wavOf(2, { samples: 16_000 }), 'wav'), 1)
  assert.equal(await open(wavOf(0, {}), 'wav'), 'cannot_be_served')
})

test('five minutes are counted by samples, in any format that has many of them in few bytes', async () => {
  assert.equal(await open(wavOf(300, {}), 'wav'), 300)
  assert.equal(await open(wavOf(301, { samples: 0xffff_ffff }), 'wav'), 'too_large')
  // 8 bits and 4,000 samples per second: 12 MB would be 52 minutes.
  const small = Buffer.from(toWav(new Uint8Array(12_582_000), 4_000))
  small.writeUInt32LE(4_000, 28)
  small.writeUInt16LE(1, 32)
  small.writeUInt16LE(8, 34)
  assert.equal(await open(small, 'wav'), 'too_large')
})

test('a WAV of nothing but empty chunks is read to its end', async () => {
  const chunks = Buffer.alloc(12_582_000)
  chunks.write('RIFF....WAVE', 'latin1')
  for (let at = 12; at + 8 <= chunks.length; at += 8) chunks.write('LIST', at, 'latin1')
  assert.equal(await open(chunks, 'wav'), 'cannot_be_served')
})

/** A silent frame of MPEG-2.5 layer III: 8 kbit/s and 8,000 samples per second, 72 bytes, 0.072 seconds. */
const FRAME = Buffer.alloc(72)
FRAME.set([0xff, 0xe3, 0x18, 0xc4])
const frames = (count: number) => Array.from({ length: count }, () => FRAME)

/**
 * A first frame with the tag that declares the number of frames
 * (http://gabriel.mp3-tech.org/mp3infotag.html).
 */
function tagOf(name: 'Xing' | 'Info', reported: number): Uint8Array {
  const tag = Buffer.from(FRAME)
  tag.write(name, 13, 'latin1')
  tag.writeUInt32BE(1, 17)
  tag.writeUInt32BE(reported, 21)
  return tag
}

test('an mp3 is as long as its decoded samples, whatever its tags declare', { skip }, async () => {
  for (const tag of [tagOf('Info', 10), tagOf('Xing', 10_000_000)]) {
    const seconds = await open(Buffer.concat([tag, ...frames(1_000)]), 'mp3')
    assert.ok(typeof seconds === 'number' && Math.abs(seconds - 72) < 0.2, `${seconds}`)
  }
  // A tag of 256 MB, none of which is present.
  const id3 = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f])
  assert.equal(await open(Buffer.concat([id3, ...frames(10)]), 'mp3'), 'cannot_be_served')
})

test('12 MB that would be three and a half hours are abandoned after five minutes of them', {
  skip,
}, async () => {
  // 12,582,912 / 72 * 0.072 seconds are 12,583.
  const hours = Buffer.concat([tagOf('Info', 10), ...frames(174_700)])
  assert.equal(await open(hours, 'mp3'), 'too_large')
})
