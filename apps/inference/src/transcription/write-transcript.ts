import type { Transcript, TranscriptSegment } from './transcriber.ts'

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const

/** SubRip: numbered cues, a comma before the milliseconds. */
export function toSrt({ segments }: Transcript): string {
  return segments.map((cue, index) => `${index + 1}\n${toTimes(cue, ',')}\n${toCueText(cue)}\n`).join('\n')
}

/** WebVTT (https://www.w3.org/TR/webvtt1/). */
export function toVtt({ segments }: Transcript): string {
  const cues = segments.map((cue) => `${toTimes(cue, '.')}\n${escapeVtt(toCueText(cue))}\n`)
  return ['WEBVTT\n', ...cues].join('\n')
}

/** The members of `verbose_json`: with `words`, segments or both, as the caller requests. */
export function toVerbose(
  { text, language, segments, words }: Transcript,
  { seconds, granularities }: { readonly seconds: number; readonly granularities: ReadonlySet<string> },
) {
  return {
    task: 'transcribe' as const,
    ...(language !== null && { language }),
    duration: seconds,
    text,
    // As in the dialect: segments, unless only words are requested.
    ...((granularities.has('segment') || !granularities.has('word')) && {
      segments: segments.map(({ tokens, ...segment }, id) => ({
        id,
        ...segment,
        ...(tokens && { tokens: [...tokens] }),
      })),
    }),
    ...(granularities.has('word') && { words: [...words] }),
  }
}

function toTimes({ start, end }: TranscriptSegment, point: ',' | '.'): string {
  return `${toTime(start, point)} --> ${toTime(end, point)}`
}

/** `00:01:02,345` */
function toTime(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const pad = (value: number, digits = 2) => `${Math.floor(value)}`.padStart(digits, '0')
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${point}${pad(ms % 1000, 3)}`
}

/** An empty line would end the cue; a carriage return ends a line too (WebVTT section 4.1). */
function toCueText({ text }: TranscriptSegment): string {
  const lines = text.split(/[\r\n]/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

/** WebVTT section 4.2.2: these begin tags and escapes, and `-->` separates times. */
function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
