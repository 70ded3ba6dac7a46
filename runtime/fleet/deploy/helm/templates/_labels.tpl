{{/* By which the objects of a release find its pods; they never change. */}}
{{- define "fleet.selector" -}}
app.kubernetes.io/name: tillnode-fleet
app.kubernetes.io/instance: {{ quote .Release.Name }}
{{- end }}

{{/* Of every object. */}}
{{- define "fleet.labels" -}}
{{ include "fleet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
