import { pino } from 'pino'
import { createFacilitator } from '../src/payments/settlement/create-facilitator.ts'
import { openState } from '../src/state/open.ts'
import { NEVER, toAccess } from './settlement-stage.ts'
import { decodeHeader, exactTerms } from './signed-payment.ts'

/**
 * A process that settles one payment and may be killed meanwhile. Arguments: RPC URL, state URL, key, price,
 * header, and `die-when-told` to end by SIGKILL as soon as the hash is known.
 */
const [rpcUrl = '', stateUrl = '', key = '', price = '', header = '', mode = ''] = process.argv.slice(2)
const facilitator = await createFacilitator({
  kind: 'in-process',
  chain: toAccess(rpcUrl),
  key: key as `0x${string}`,
  state: await openState(stateUrl),
  logger: pino({ level: 'silent' }),
})
const payment = decodeHeader(header, { terms: [exactTerms(price)] })
const beforeSend = async () => {
  if (mode === 'die-when-told') process.kill(process.pid, 'SIGKILL')
}
await facilitator.settle({ payment, amount: payment.signedAmount, beforeSend }, NEVER)
process.exit(0)
