import sharp from 'sharp'
import type { Attack } from './attack.ts'
import { usdOfCoreSeconds, usdOfGas, usdOfUsdc } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'

const CALLS = 4
const SIDE = 1_224

/** The pixels of a picture, from 0 to 255. */
type Draw = (x: number, y: number) => number

/** Work that ends in an error, which is never charged. */
export const engineWork: Attack = {
  name: 'engine-work',
  summary: 'pictures of single pixels that are refused after some work; the wallet was funded by a transfer',
  async run(world, note) {
    const answers: Answer[] = []
    const order = { url: `${world.utility}/api/vectorize`, method: 'POST', from: world.newAddress() }
    const bank = await world.newWallet(20_000n)
    const wallet = world.newKey()
    let [sellerSeconds, attackerSeconds] = [0, 0]
    const spent = await world.measure(async () => {
      await bank.transfer(wallet.address, 20_000n)
      await world.rpc.call('evm_mine')
      const begunMs = performance.now()
      const sellerBegun = await world.coreSeconds()
      const attackerBegun = process.cpuUsage()
      for (let call = 1; call <= CALLS; call += 1) {
        const image_base64 = (await drawPicture(call % 2 === 0 ? checker : shades)).toString('base64')
        const body = JSON.stringify({ image_base64, max_colors: 256 })
        const payment = await signFor(order, wallet)
        if (payment === null) break
        const answer = await send({ ...order, body }, payment)
        answers.push(answer)
        note(`call ${call}: ${answer.status} after ${Math.round(performance.now() - begunMs)} ms in all`)
      }
      const { user, system } = process.cpuUsage(attackerBegun)
      attackerSeconds = (user + system) / 1e6
      // With what the product uses without a caller.
      sellerSeconds = (await world.coreSeconds()) - sellerBegun
    })
    return {
      kind: 'costs',
      attackerUsd:
        usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received) + usdOfCoreSeconds(attackerSeconds),
      sellerUsd: usdOfGas(spent.sellerGas) + usdOfCoreSeconds(sellerSeconds),
      receivedUsd: usdOfUsdc(spent.received),
      setting: {
        calls: answers.length,
        answers: countAnswers(answers),
        sellerCoreSeconds: round(sellerSeconds),
        attackerCoreSeconds: round(attackerSeconds),
        attackerGas: Number(spent.attackerGas),
      },
    }
  },
}

const checker: Draw = (x, y) => ((x + y) % 2 === 0 ? 0 : 255)
/** 42 shades that do not mix, in a file as small as that of the checker: noise is long, and bodies are counted. */
const shades: Draw = (x, y) => ((x * 7 + y * 13) % 42) * 6

/** A PNG of the largest size that is traced without downscaling. */
function drawPicture(draw: Draw): Promise<Buffer> {
  const pixels = Buffer.alloc(SIDE * SIDE)
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = draw(at % SIDE, Math.floor(at / SIDE))
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 1 } })
    .png()
    .toBuffer()
}

function round(seconds: number): number {
  return Number(seconds.toPrecision(3))
}
