import type { ArchiveMedia } from './archive-shapes.ts'

/** The first number of a media key, by type (docs.x.com, data dictionary of media). */
const PREFIXES: Readonly<Record<string, number>> = { photo: 3, video: 7, animated_gif: 16 }

export function mediaKeyOf({ id_str, type }: Pick<ArchiveMedia, 'id_str' | 'type'>): string {
  return `${(Object.hasOwn(PREFIXES, type) ? PREFIXES[type] : undefined) ?? 3}_${id_str}`
}

/** A picture or video of an archive, with the names of the API v2. */
export function toMedia(given: ArchiveMedia) {
  const { type, media_url_https, ext_alt_text, sizes, video_info } = given
  const picture = media_url_https === undefined ? {} : { [pictureField(type)]: media_url_https }
  return {
    media_key: mediaKeyOf(given),
    type,
    ...picture,
    ...(sizes?.large && { width: sizes.large.w, height: sizes.large.h }),
    ...(ext_alt_text !== undefined && { alt_text: ext_alt_text }),
    ...(video_info?.duration_millis !== undefined && { duration_ms: video_info.duration_millis }),
    ...(video_info?.variants && {
      variants: video_info.variants.map(({ bitrate, ...variant }) => ({
        ...variant,
        ...(bitrate !== undefined && { bit_rate: bitrate }),
      })),
    }),
  }
}

/** For a video the URL is that of its preview image. */
function pictureField(type: string): 'url' | 'preview_image_url' {
  return type === 'photo' ? 'url' : 'preview_image_url'
}
