/** The Kubernetes manifests, checked against the schemas of Kubernetes and KEDA as they are made. */
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { stringify } from 'yaml';
import { pendingAudioQuery } from '../src/transcription/audio/pending-audio-store.ts';

const image = 'longhand:latest';
/** One more worker for so much waiting audio: of two cores a quarter of an hour's work. */
const audioSecondsPerWorker = 18_000;
const workersMax = 50;
/** A worker gives back what it does within 15 s. */
const graceSeconds = 20;

const labels = (component: string) => ({
  'app.kubernetes.io/name': 'longhand',
  'app.kubernetes.io/component': component,
});
const metadata = (name: string, component: string) => ({ name, labels: labels(component) });

const probe = (path: string) => ({ httpGet: { path, port: 'metrics' }, timeoutSeconds: 10 });

function container(name: string, args: string[], more: Partial<IContainer>): IContainer {
  return {
    name,
    image,
    args,
    envFrom: [{ configMapRef: { name: 'longhand' } }, { secretRef: { name: 'longhand' } }],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10001,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
    ...more,
  };
}

/** Scratch files and models: nothing that must outlive the pod. */
const scratch = (sizeLimit: string) => [{ name: 'data', emptyDir: { sizeLimit } }];

function deployment(component: string, { replicas, args, more, sizeLimit }: DeploymentOptions): Deployment {
  return new Deployment({
    metadata: {
      ...metadata(`longhand-${component}`, component),
    },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels(component) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: {
          labels: labels(component),
          annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9464' },
        },
        spec: {
          terminationGracePeriodSeconds: graceSeconds,
          securityContext: { fsGroup: 10001 },
          containers: [
            container(component, args, {
              ...more,
              ports: [{ name: 'metrics', containerPort: 9464 }, ...(more.ports ?? [])],
              livenessProbe: { ...probe('/healthz'), periodSeconds: 15, failureThreshold: 4 },
              readinessProbe: { ...probe('/readyz'), periodSeconds: 10 },
              startupProbe: { ...probe('/healthz'), periodSeconds: 5, failureThreshold: 60 },
            }),
          ],
          volumes: scratch(sizeLimit),
        },
      },
    },
  });
}

interface DeploymentOptions {
  replicas?: number;
  args: string[];
  more: Partial<IContainer>;
  sizeLimit: string;
}

const settings = [
  new ConfigMap({
    metadata: metadata('longhand', 'settings'),
    data: {
      LONGHAND_PUBLIC_URL: 'https://longhand.example.com',
      LONGHAND_STORAGE: 's3',
      LONGHAND_S3_ENDPOINT: 'https://s3.example.com',
      LONGHAND_S3_REGION: 'us-east-1',
      LONGHAND_S3_BUCKET: 'longhand',
      LONGHAND_METRICS_LISTEN: '0.0.0.0:9464',
      LONGHAND_MIGRATE: 'false',
    },
  }),
  new Secret({
    metadata: metadata('longhand', 'settings'),
    type: 'Opaque',
    stringData: {
      LONGHAND_DATABASE_URL: 'postgres://longhand:change-me@pooler:6432/longhand',
      LONGHAND_DATABASE_DIRECT_URL: 'postgres://longhand:change-me@postgres:5432/longhand',
      LONGHAND_SECRET_KEY: 'change-me',
    },
  }),
];

const migration = new Job({
  metadata: metadata('longhand-migrate', 'migrate'),
  spec: {
    backoffLimit: 3,
    ttlSecondsAfterFinished: 3600,
    template: {
      metadata: { labels: labels('migrate') },
      spec: {
        restartPolicy: 'Never',
        containers: [container('migrate', ['migrate'], {})],
        volumes: scratch('1Gi'),
      },
    },
  },
});

const api = [
  deployment('api', {
    replicas: 2,
    args: ['serve', '--role', 'api'],
    more: {
      ports: [{ name: 'http', containerPort: 8080 }],
      resources: { requests: { cpu: '500m', memory: '384Mi' }, limits: { memory: '1Gi' } },
    },
    sizeLimit: '2Gi',
  }),
  new PodDisruptionBudget({
    metadata: metadata('longhand-api', 'api'),
    spec: { minAvailable: 1, selector: { matchLabels: labels('api') } },
  }),
  new Service({
    metadata: metadata('longhand', 'api'),
    spec: { selector: labels('api'), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  }),
  new Ingress({
    metadata: metadata('longhand', 'api'),
    spec: {
      tls: [{ hosts: ['longhand.example.com'], secretName: 'longhand-tls' }],
      rules: [
        {
          host: 'longhand.example.com',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'longhand', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    },
  }),
];

/** KEDA says how many there are. */
const worker = deployment('worker', {
  args: ['worker'],
  more: { resources: { requests: { cpu: '2', memory: '3Gi' }, limits: { memory: '5Gi' } } },
  sizeLimit: '40Gi',
});

const scaling = [
  new TriggerAuthentication({
    metadata: metadata('longhand-database', 'worker'),
    spec: {
      secretTargetRef: [{ parameter: 'connection', name: 'longhand', key: 'LONGHAND_DATABASE_DIRECT_URL' }],
    },
  }),
  new ScaledObject({
    metadata: metadata('longhand-worker', 'worker'),
    spec: {
      scaleTargetRef: { name: 'longhand-worker' },
      // One is always there: without any, new jobs are refused.
      minReplicaCount: 1,
      maxReplicaCount: workersMax,
      pollingInterval: 30,
      cooldownPeriod: 300,
      triggers: [
        {
          type: 'postgresql',
          metadata: {
            query: pendingAudioQuery.replace(/\s+/g, ' ').trim(),
            targetQueryValue: String(audioSecondsPerWorker),
          },
          authenticationRef: { name: 'longhand-database' },
        },
      ],
    },
  }),
];

/** Throws when one of them is not as its schema says. */
export function kubernetesManifests(): string {
  const all = [...settings, migration, ...api, worker, ...scaling];
  for (const manifest of all) manifest.validate();
  const documents = all.map((manifest) => stringify(manifest.toJSON(), { lineWidth: 0 }));
  return `# Made by scripts/kubernetes-manifests.ts: npm run generate. Steps: docs/deployment.md.\n${documents.join('---\n')}`;
}
