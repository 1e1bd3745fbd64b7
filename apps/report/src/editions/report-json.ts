import { hashText } from '@tollbook/http/reply/rendered-text'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'

/** The bytes of a report: compact JSON in the order of the specification's fields, and a line feed. */
export function renderReportJson(report: MerchantReport): string {
  return `${JSON.stringify(report)}\n`
}

/** Hash of the whole report except the time when it was generated. */
export function digestReport(report: MerchantReport): string {
  return hashText(renderReportJson({ ...report, generated_at: '' }))
}
