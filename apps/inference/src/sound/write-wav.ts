/** Samples of -1 to 1 as signed 16-bit little-endian integers. */
export function toPcm(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries())
    view.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true)
  return bytes
}

/** Samples of -1 to 1 from signed 16-bit little-endian integers; half a sample at the end is dropped. */
export function fromPcm(pcm: Uint8Array): Float32Array<ArrayBuffer> {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const samples = new Float32Array(Math.floor(pcm.length / 2))
  for (let index = 0; index < samples.length; index++)
    samples[index] = view.getInt16(index * 2, true) / 32_768
  return samples
}

/** A WAV file of one channel with these signed 16-bit samples. */
export function toWav(pcm: Uint8Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + pcm.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  // PCM, one channel; then bytes per second, bytes and bits per sample.
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(pcm.length, 40)
  const file = new Uint8Array(head.length + pcm.length)
  file.set(head)
  file.set(pcm, head.length)
  return file
}
