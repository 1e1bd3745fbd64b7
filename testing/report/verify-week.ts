import { createReadRpc } from '../../src/chain/rpc/read-rpc.ts'
import type { Check } from '../../src/verify/checks/check.ts'
import { parseClaimRecord } from '../../src/verify/checks/check-claim.ts'
import type { ReportInputs } from '../../src/verify/published/inputs.ts'
import { parseInputs, parsePublishedReport } from '../../src/verify/published/published-report.ts'
import { verifyReport } from '../../src/verify/verify-report.ts'
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
