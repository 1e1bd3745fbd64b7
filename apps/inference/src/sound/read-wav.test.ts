import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { decodeWav, findWavSamples } from './read-wav.ts'
import { toPcm, toWav } from './write-wav.ts'

type Form = {
  readonly tag: 1 | 3
  readonly bits: 8 | 16 | 24 | 32 | 64
  readonly channels: number
  readonly sampleRate: number
}

const FORMS = [
  { tag: 1, bits: 8 },
  { tag: 1, bits: 16 },
  { tag: 1, bits: 24 },
  { tag: 1, bits: 32 },
  { tag: 3, bits: 32 },
  { tag: 3, bits: 64 },
] as const

/** One sample as bytes, by the definition of each format (WAVEFORMATEX): 8 bits are unsigned. */
function toBytes(value: number, { tag, bits }: Form): Buffer {
  const bytes = Buffer.alloc(bits / 8)
  if (tag === 3 && bits === 32) bytes.writeFloatLE(value)
  else if (tag === 3) bytes.writeDoubleLE(value)
  else if (bits === 8) bytes.writeUInt8(Math.floor(value * 127) + 128)
  else bytes.writeIntLE(Math.floor(value * (2 ** (bits - 1) - 1)), 0, bits / 8)
  return bytes
}

type Changes = { readonly reported?: number; readonly before?: Buffer; readonly isExtensible?: boolean }

function writeWav(form: Form, data: Buffer, { reported, before, isExtensible }: Changes = {}): Uint8Array {
  const { tag, bits, channels, sampleRate } = form
  const fmt = Buffer.alloc(isExtensible ? 40 : 16)
  fmt.writeUInt16LE(isExtensible ? 0xfffe : tag, 0)
  fmt.writeUInt16LE(channels, 2)
  fmt.writeUInt32LE(sampleRate, 4)
  fmt.writeUInt32LE((sampleRate * channels * bits) / 8, 8)
  fmt.writeUInt16LE((channels * bits) / 8, 12)
  fmt.writeUInt16LE(bits, 14)
  if (isExtensible) fmt.writeUInt16LE(tag, 24)
  const chunk = (id: string, content: Buffer, size = content.length) => {
    const head = Buffer.alloc(8)
    head.write(id, 'latin1')
    head.writeUInt32LE(size, 4)
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
  }
  const chunks = [
    before ? chunk('LIST', before) : Buffer.alloc(0),
    chunk('fmt ', fmt),
    chunk('data', data, reported),
  ]
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...chunks])
}

const anyForm = fc.record({
  form: fc.constantFrom(...FORMS),
  channels: fc.integer({ min: 1, max: 8 }),
  sampleRate: fc.integer({ min: 4_000, max: 192_000 }),
})
const PLAIN: Form = { tag: 1, bits: 16, channels: 1, sampleRate: 16_000 }

function read(bytes: Uint8Array) {
  const form = findWavSamples(bytes)
  assert.ok(!('refusal' in form), 'refusal' in form ? form.refusal : '')
  return { form, sound: decodeWav(bytes, form) }
}

function refusalOf(bytes: Uint8Array): string | null {
  const form = findWavSamples(bytes)
  return 'refusal' in form ? form.refusal : null
}

test('samples of every format and number of channels become their mean', () => {
  const samples = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 40 })
  fc.assert(
    fc.property(anyForm, samples, fc.boolean(), ({ form, ...rest }, values, isExtensible) => {
      const whole: Form = { ...form, ...rest }
      const frames = Math.floor(values.length / whole.channels)
      const used = values.slice(0, frames * whole.channels)
      const data = Buffer.concat(used.map((value) => toBytes(value, whole)))
      const { sound } = read(writeWav(whole, data, { isExtensible, before: Buffer.from('note') }))
      assert.equal(sound.sampleRate, whole.sampleRate)
      assert.equal(sound.samples.length, frames)
      // One step of the coarsest format is 1/127.
      const step = whole.bits === 8 ? 2 / 127 : whole.bits === 16 ? 2 / 32_767 : 1e-6
      for (const [frame, sample] of sound.samples.entries()) {
        const own = used.slice(frame * whole.channels, (frame + 1) * whole.channels)
        const mean = own.reduce((sum, value) => sum + value, 0) / whole.channels
        assert.ok(Math.abs(sample - mean) <= step, `${sample} for ${mean}`)
      }
    }),
  )
})

test('whatever size a header declares, the actual samples are read', () => {
  const data = Buffer.alloc(2000, 1)
  for (const reported of [0xffff_ffff, 0x7fff_f000, 0, 2001, 1_000_000])
    assert.equal(read(writeWav(PLAIN, data, { reported })).form.frames, 1000, `${reported}`)
  // A smaller size is trusted: other chunks may follow.
  assert.equal(read(writeWav(PLAIN, data, { reported: 20 })).form.frames, 10)
})

test('files that are not WAV, or in an unsupported format, are rejected with a message', () => {
  const data = Buffer.alloc(8)
  assert.equal(refusalOf(Buffer.from('OggS and more')), 'is not a WAV file')
  assert.equal(refusalOf(Buffer.from('RIFF\0\0\0\0WAVE', 'latin1')), 'has no samples')
  assert.match(`${refusalOf(writeWav({ ...PLAIN, channels: 0 }, data))}`, /0 channels/)
  assert.match(`${refusalOf(writeWav({ ...PLAIN, channels: 9 }, data))}`, /9 channels/)
  assert.match(`${refusalOf(writeWav({ ...PLAIN, sampleRate: 1_000_000_000 }, data))}`, /samples per second/)
  assert.match(`${refusalOf(writeWav({ ...PLAIN, sampleRate: 1 }, data))}`, /samples per second/)
  assert.match(`${refusalOf(writeWav({ ...PLAIN, tag: 3, bits: 16 }, data))}`, /not supported/)
})

test('no bytes break the reader, and it never returns more than they contain', () => {
  const head = writeWav(PLAIN, Buffer.alloc(40))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), (noise, at) => {
      const bytes = Uint8Array.from(head)
      bytes.set(noise.subarray(0, bytes.length - at), at)
      const form = findWavSamples(bytes)
      if ('refusal' in form) return
      const { samples } = decodeWav(bytes, form)
      assert.ok(samples.length <= bytes.length)
      assert.ok(samples.every((sample) => sample >= -1 && sample <= 1))
    }),
  )
})

test('what is written can be read back', () => {
  const samples = Float32Array.from([0, 0.5, -0.5, 1, -1, 7, 1 / 32_768])
  const { sound } = read(toWav(toPcm(samples), 24_000))
  // 16 bits hold 32767/32768 at most.
  const max = 32_767 / 32_768
  assert.deepEqual([...sound.samples], [0, 0.5, -0.5, max, -1, max, 1 / 32_768].map(Math.fround))
  assert.equal(sound.sampleRate, 24_000)
})
