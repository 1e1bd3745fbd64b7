import { createHash } from 'node:crypto'
import type { MerchantReport } from '../../build/merchant-report.ts'

/** The bytes of a report: compact JSON in the order of the specification's fields, and a line feed. */
export function renderReportJson(report: MerchantReport): string {
  return `${JSON.stringify(report)}\n`
}

/** Hash of the whole report except the time when it was generated. */
export function digestReport(report: MerchantReport): string {
  return hashText(renderReportJson({ ...report, generated_at: '' }))
}

/** The strong validator of a text: 128 bits of its SHA-256, without the quotes of the header. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
