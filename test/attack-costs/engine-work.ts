import sharp from 'sharp'
import type { Attack } from './attack.ts'
import { usdOfCoreSeconds, usdOfGas, usdOfUsdc } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'

const CALLS = 4
const SIDE = 1_224

/** Work that ends in an error, which is never charged. */
export const engineWork: Attack = {
  name: 'engine-work',
  summary: 'checkers of single pixels: a core traces them until the deadline, and nothing is charged',
  async run(world, note) {
    const answers: Answer[] = []
    const image_base64 = (await drawChecker()).toString('base64')
    const body = JSON.stringify({ image_base64, max_colors: 256 })
    const url = `${world.utility}/api/vectorize`
    const order = { url, method: 'POST', body, from: world.newAddress() }
    const wallet = await world.newWallet(1_000_000n)
    let seconds = 0
    const spent = await world.measure(async () => {
      for (let call = 1; call <= CALLS; call += 1) {
        const payment = await signFor(order, wallet)
        if (payment === null) break
        const startedMs = performance.now()
        const answer = await send(order, payment)
        seconds += (performance.now() - startedMs) / 1_000
        answers.push(answer)
        note(`call ${call}: ${answer.status} after ${Math.round(seconds)} s in all`)
      }
    })
    return {
      kind: 'costs',
      attackerUsd: usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received),
      sellerUsd: usdOfGas(spent.sellerGas) + usdOfCoreSeconds(seconds),
      receivedUsd: usdOfUsdc(spent.received),
      setting: { calls: answers.length, answers: countAnswers(answers), seconds: Math.round(seconds) },
    }
  },
}

/** A PNG of alternating black and white pixels, of the largest size that is traced without downscaling. */
function drawChecker(): Promise<Buffer> {
  const pixels = Buffer.alloc(SIDE * SIDE)
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at + Math.floor(at / SIDE)) % 2 === 0 ? 0 : 255
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 1 } })
    .png()
    .toBuffer()
}
