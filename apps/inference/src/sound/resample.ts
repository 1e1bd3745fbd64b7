/** Zero crossings of the kernel on each side: frequencies above half of the lower rate fall below -40 dB. */
const CROSSINGS = 16

/**
 * Changes the sample rate with a windowed sinc (https://ccrma.stanford.edu/~jos/resample/), so that nothing
 * above half of the lower rate is aliased.
 * @param from samples per second
 * @param to target samples per second
 */
export function resample(samples: Float32Array<ArrayBuffer>, from: number, to: number) {
  if (from === to) return samples
  const divisor = greatestCommonDivisor(from, to)
  const steps = from / divisor
  const phases = to / divisor
  // If the new rate is lower, the kernel is longer by the same factor.
  const scale = Math.min(1, to / from)
  const reach = Math.ceil(CROSSINGS / scale)
  const kernels = new Map<number, Float32Array>()
  const kernelOf = (phase: number) => {
    const known = kernels.get(phase)
    if (known) return known
    const made = makeKernel(phase / phases, scale, reach)
    kernels.set(phase, made)
    return made
  }
  const result = new Float32Array(Math.round((samples.length * to) / from))
  for (let index = 0; index < result.length; index++) {
    const place = index * steps
    const kernel = kernelOf(place % phases)
    const first = Math.floor(place / phases) - reach + 1
    const begin = Math.max(0, -first)
    const end = Math.min(kernel.length, samples.length - first)
    let sum = 0
    for (let tap = begin; tap < end; tap++) sum += (kernel[tap] ?? 0) * (samples[first + tap] ?? 0)
    result[index] = sum
  }
  return result
}

/** Weights of the samples around a position that is `offset` (0 to 1) after one; their sum is 1. */
function makeKernel(offset: number, scale: number, reach: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - offset
    const window = Math.abs(distance) >= reach ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach)
    return sinc(distance * scale) * window
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
