import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { encodeSpeech } from './encode-speech.ts'
import { readMp3 } from './read-mp3.ts'
import { toPcm } from './write-wav.ts'

/** A tone of 440 Hz. */
const toneOf = (seconds: number, sampleRate: number) =>
  toPcm(
    Float32Array.from(
      { length: seconds * sampleRate },
      (_, at) => 0.5 * Math.sin((at * 880 * Math.PI) / sampleRate),
    ),
  )

async function encode(seconds: number, sampleRate: number): Promise<Uint8Array> {
  const spoken = { kind: 'pcm', sampleRate, bytes: toneOf(seconds, sampleRate) } as const
  const encoded = await encodeSpeech({ spoken, format: 'mp3' })
  assert.ok('bytes' in encoded)
  return encoded.bytes
}

// MPEG-1, 2 and 2.5 have frames of 1,152 or 576 samples; LAME adds a delay of 576 to 1,728 and fills the last frame.
for (const sampleRate of [44_100, 22_050, 24_000, 16_000, 8_000])
  test(`an mp3 of ${sampleRate} samples per second is as long as its source`, async () => {
    const form = readMp3(await encode(2, sampleRate))
    assert.ok('seconds' in form, JSON.stringify(form))
    const added = form.seconds - 2
    assert.ok(added >= 0 && added <= (1_728 + 1_152) / sampleRate, `${added}`)
  })

const mp3 = await encode(1, 24_000)
const whole = readMp3(mp3)

test('tags before, between and after the frames are skipped', () => {
  assert.ok('frames' in whole)
  const id3 = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 1, 2, ...new Uint8Array(130)])
  const tag = Buffer.concat([Buffer.from('TAG'), new Uint8Array(125)])
  const joined = readMp3(Buffer.concat([id3, mp3, id3, mp3, tag, new Uint8Array(9)]))
  assert.ok('frames' in joined && Math.abs(joined.seconds - 2 * whole.seconds) < 1e-9)
  assert.equal(joined.frames, 2 * whole.frames)
})

test('a truncated file has its remaining frames; a file that is not an mp3 has none', () => {
  assert.ok('frames' in whole)
  // 64 kbit/s at 24,000 samples a second: frames of 192 bytes.
  assert.deepEqual(readMp3(mp3.subarray(0, 192 * 3 + 100)), { frames: 4, seconds: (4 * 576) / 24_000 })
  for (const none of ['', 'ID3', '<!doctype html>', '{"error":"no"}', '\0\0\0\0\0\0\0\0'])
    assert.ok('refusal' in readMp3(Buffer.from(none)), none)
  assert.deepEqual(readMp3(Buffer.concat([mp3, Buffer.from('{"error":"broke off"}')])), {
    refusal: 'is damaged',
  })
})

test('any bytes are read to the end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(mp3.length), (bytes, at) => {
      const form = readMp3(Buffer.concat([mp3.subarray(0, at), bytes]))
      assert.ok('refusal' in form || form.seconds > 0)
    }),
  )
})

test('a file in the requested format is unchanged', async () => {
  const same = await encodeSpeech({ spoken: { kind: 'mp3', bytes: mp3 }, format: 'mp3' })
  assert.ok('bytes' in same && same.bytes === mp3)
  const bytes = toneOf(1, 24_000)
  const pcm = await encodeSpeech({ spoken: { kind: 'pcm', sampleRate: 24_000, bytes }, format: 'pcm' })
  assert.ok('bytes' in pcm)
  assert.deepEqual(pcm, { bytes, seconds: 1 })
})
