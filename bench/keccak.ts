import { keccak as ownKeccak } from '@tollbook/chain/keccak'
import { keccak256 } from 'viem'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { median } from './rounds.ts'
import { VIEM } from './viem-payments.ts'

/** Bytes of what a paid call hashes: the struct and the digest of EIP-712, and the signer's public key. */
const PAID_CALL = [7 * 32, 2 + 2 * 32, 64]
const HASHES_PER_ROUND = 2_000
const ROUNDS = 40
const QUICK_ROUNDS = 10

/** Processor time of Keccak-256, for the inputs of a paid call and for one full block. */
export const keccak: Benchmark = {
  name: 'keccak',
  summary: 'Keccak-256 of the inputs of a paid call, against viem',
  async run({ isQuick }) {
    for (const [figure, lengths] of [
      ['the hashes of a paid call, median of rounds', PAID_CALL],
      ['a hash of 136 bytes, median of rounds', [136]],
    ] as const) {
      const inputs = lengths.map((length) => new Uint8Array(length).fill(length))
      const [own, theirs]: readonly [number[], number[]] = [[], []]
      for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round++) {
        own.push(measure(ownKeccak, inputs))
        theirs.push(measure((bytes) => keccak256(bytes, 'bytes'), inputs))
      }
      const [value, peerValue] = [own, theirs].map((rounds) => Number(median(rounds).toPrecision(3)))
      printFigure({
        bench: 'keccak',
        figure,
        unit: 'µs, less is better',
        value: value ?? 0,
        peer: VIEM,
        peerValue: peerValue ?? 0,
      })
    }
  },
}

function measure(hash: (bytes: Uint8Array) => Uint8Array, inputs: readonly Uint8Array[]): number {
  const start = process.cpuUsage()
  for (let count = 0; count < HASHES_PER_ROUND; count++) for (const input of inputs) hash(input)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / HASHES_PER_ROUND
}
