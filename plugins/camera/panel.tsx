/** The panel of the camera: a picture, and the settings. */
import { useEffect, useState } from 'preact/hooks';
import {
  Button,
  Card,
  Condition,
  clock,
  Devices,
  definePanel,
  devicesOf,
  Facts,
  type PageNode,
  type PanelProps,
  type Setting,
  SettingsForm,
  speech,
  useLoaded,
} from '../../runtime/page/kit.ts';
import { CameraConfig } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const POLL_MS = 5000;
/** Between two pictures of the overview. */
const GLANCE_MS = 10_000;

const { properties } = CameraConfig;
const SETTINGS: readonly Setting[] = [
  { key: 'width', schema: properties.width, label: say('width'), hint: say('widthHint') },
  { key: 'height', schema: properties.height, label: say('height'), hint: say('heightHint') },
  { key: 'quality', schema: properties.quality, label: say('quality'), hint: say('qualityHint') },
  {
    key: 'rotate',
    schema: properties.rotate,
    label: say('turned'),
    words: { 0: say('turned0'), 90: say('turned90'), 180: say('turned180'), 270: say('turned270') },
  },
];

/** A picture as an object URL of the page: it is fetched, so that an error answer can be shown. */
interface Shot {
  readonly url: string;
  readonly at: string;
}

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.camera, POLL_MS);
  const [shot, setShot] = useState<Shot>();
  useEffect(() => () => URL.revokeObjectURL(shot?.url ?? ''), [shot]);
  const picture = async () => {
    const frame = await node.client.cameraFrame();
    setShot({ url: URL.createObjectURL(frame), at: clock() });
    return undefined;
  };
  return (
    <>
      <Card title={say('picture')}>
        {shot && <img src={shot.url} alt={say('sawAt', { time: shot.at })} />}
        <Button kind="main" onPress={picture}>
          {say('take')}
        </Button>
      </Card>
      <Card title={say('title')}>
        {fault && <p class="bad">{fault}</p>}
        {data && (
          <Facts
            rows={[
              [say('condition'), <Condition key="condition" condition={data.condition} />],
              [say('picture'), say('size', { width: data.width, height: data.height })],
              [say('stream'), data.streaming ? say('watched') : say('unwatched')],
            ]}
          />
        )}
      </Card>
      <Card title={say('settings')}>
        <p class="quiet">{say('storedOnce')}</p>
        {data && (
          <SettingsForm
            settings={SETTINGS}
            values={data.config}
            maySave={node.maySave}
            onSave={async (patch) => {
              await node.client.configureCamera(patch);
              await reload();
            }}
          />
        )}
      </Card>
    </>
  );
}

const devices = ({ status }: PageNode) => devicesOf(status, 'camera', say('title'));

/** A picture of now and then; nothing where there is none. */
function Glance({ node }: PanelProps) {
  const { data } = useLoaded(() => node.client.cameraFrame(), GLANCE_MS);
  const [shot, setShot] = useState<Shot>();
  useEffect(() => {
    if (data === undefined) return;
    const url = URL.createObjectURL(data);
    setShot({ url, at: clock() });
    return () => URL.revokeObjectURL(url);
  }, [data]);
  return shot ? <img src={shot.url} alt={say('sawAt', { time: shot.at })} /> : null;
}

/** State of the cameras, with a picture while there is one. */
function Overview({ node }: PanelProps) {
  const states = devices(node);
  return (
    <Devices states={states}>{states.some(({ condition }) => condition === 'bound') && <Glance node={node} />}</Devices>
  );
}

export default definePanel({
  id: 'camera',
  title: say('title'),
  order: 50,
  View,
  devices,
  Overview,
});
