import { buildFigures } from '../build/build-figures.ts'
import { addExchangeNotes } from '../build/exchange-notes.ts'
import type { FigureWindow, MerchantFigures } from '../build/figures.ts'
import { type PrepareOptions, prepareWindow, type WindowOf } from './prepare-window.ts'

export type WindowFigures = {
  /** Not complete while transfers out of its merchants are missing. */
  readonly window: FigureWindow
  readonly figures: readonly MerchantFigures[]
  readonly outflowAttempts: readonly number[]
  /** Whether the result can no longer change. */
  readonly isFinal: boolean
}

/** Computes the figures of every merchant of a window, after reading the transfers that they need. */
export async function readWindowFigures(
  preparing: PrepareOptions,
  target: WindowOf,
  signal: AbortSignal,
): Promise<WindowFigures> {
  const { ledger } = preparing
  const { window, outflowAttempts, inflows } = await prepareWindow(preparing, target, signal)
  const selection = { ...target, window, outflowAttempts }
  const figures = await buildFigures(ledger, selection, signal)
  if (!inflows) return { window, figures, outflowAttempts, isFinal: window.isComplete }
  const noted = await addExchangeNotes(ledger, { ...selection, figures, inflows }, signal)
  const isFinal = window.isComplete && inflows.isRead
  return { window, figures: noted, outflowAttempts, isFinal }
}
