import { reportOnLedger } from '../report-on-ledger.ts'

/** Time and memory of the figures of all merchants over one number of payments. */
export type GrowthStep = {
  readonly reportSeconds: number
  readonly peakMegabytes: number
  readonly merchants: number
}

const { reportSeconds, peakBytes, figures } = await reportOnLedger(Number(process.argv[2]))
const step: GrowthStep = {
  reportSeconds: Number(reportSeconds.toFixed(2)),
  peakMegabytes: Math.round(peakBytes / 1e6),
  merchants: figures.length,
}
process.send?.(step)
process.disconnect?.()
