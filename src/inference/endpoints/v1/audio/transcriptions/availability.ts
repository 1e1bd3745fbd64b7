import type { Availability } from '../../../../../catalogue/endpoint.ts'
import type { TranscriptionDesk } from '../../../../transcription/transcription-desk.ts'

const RETRY_AFTER_SECONDS = 15

/** Whether transcripts are currently available. */
export function availabilityOf(desk: TranscriptionDesk | null): Availability {
  if (!desk) {
    const detail =
      'No transcriber is configured: the operator installs pocketsphinx and pocketsphinx-en-us, or configures a whisper model (TOLLBOOK_WHISPER_FILE) or an upstream (TOLLBOOK_TRANSCRIPTION_URL).'
    return { isAvailable: false, problem: { code: 'not_configured', detail } }
  }
  if (desk.transcriber.isReady?.() ?? true) return { isAvailable: true }
  const detail = 'The transcription model is not loaded at the moment.'
  return {
    isAvailable: false,
    problem: { code: 'unavailable', detail, retryAfterSeconds: RETRY_AFTER_SECONDS },
  }
}
