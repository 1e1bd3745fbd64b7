import { createSimulatedChain } from '@tollbook/testing/simulated-chain/chain'
import { startSimulatedNode } from '@tollbook/testing/simulated-chain/node'
import { planWeek, type WeekSize } from '../simulated-week.ts'
import { serveMeasured } from './measured.ts'

/** A node of a simulated week; its head is the last block of the week. */
await serveMeasured((size: WeekSize) => {
  const head = size.firstBlock + size.blocks - 1
  return startSimulatedNode(createSimulatedChain(planWeek(size), `0x${'5eed'.repeat(16)}`, head))
})
