import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Check } from '@tollbook/verify/checks/check'
import { parseClaimRecord } from '@tollbook/verify/checks/check-claim'
import type { ReportInputs } from '@tollbook/verify/published/inputs'
import { parseInputs, parsePublishedReport } from '@tollbook/verify/published/published-report'
import { verifyReport } from '@tollbook/verify/verify-report'
import { SHOP } from './paid-week.ts'
import { publishPaidWeek, type WeekOptions } from './published-week.ts'

type VerifiedWeek = {
  /** Of the shop, as published. */
  readonly report: Readonly<Record<string, unknown>>
  readonly inputs: ReportInputs
  /** What differs from the chain. */
  readonly differing: readonly Check[]
}

/** Plays and publishes a week, and holds the report of the shop against the chain. */
export async function verifyPaidWeek(options: WeekOptions): Promise<VerifiedWeek> {
  const week = await publishPaidWeek(options)
  try {
    const report = JSON.parse(await week.read(SHOP, '.json'))
    const inputs = parseInputs(JSON.parse(await week.read(SHOP, '/inputs.json')))
    const { checks } = await verifyReport(
      {
        report: parsePublishedReport(report),
        inputs,
        evidence: await week.read(SHOP, '/payments.ndjson'),
        claim: parseClaimRecord(JSON.parse(await week.read(SHOP, '/claim.json'))),
        rpc: createReadRpc({ url: week.chain.rpcUrl }),
        now: new Date(),
      },
      new AbortController().signal,
    )
    return { report, inputs, differing: checks.filter(({ verdict }) => verdict === 'differs') }
  } finally {
    await week.close()
  }
}
