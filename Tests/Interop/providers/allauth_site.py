"""django-allauth's identity provider as a site of one file: `python allauth_site.py` fills its database, gunicorn
serves `allauth_site:application`."""

import os

import django
from django.conf import settings

FOLDER, PORT = os.environ["PROVIDER_FOLDER"], os.environ["PROVIDER_PORT"]
ISSUER = f"https://127.0.0.1:{PORT}"

settings.configure(
    SECRET_KEY="of this test only",
    DEBUG=False,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="allauth_site",
    SITE_ID=1,
    USE_TZ=True,
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.sites",
        "allauth",
        "allauth.account",
        "allauth.idp.oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/db.sqlite3", "OPTIONS": {"timeout": 20}}
    },
    AUTHENTICATION_BACKENDS=[
        "django.contrib.auth.backends.ModelBackend",
        "allauth.account.auth_backends.AuthenticationBackend",
    ],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    CSRF_TRUSTED_ORIGINS=[ISSUER],
    ACCOUNT_EMAIL_VERIFICATION="none",
    ACCOUNT_RATE_LIMITS=False,
    ACCOUNT_DEFAULT_HTTP_PROTOCOL="https",
    IDP_OIDC_PRIVATE_KEY=open(f"{FOLDER}/signing.pem").read(),
    IDP_OIDC_DCR_ENABLED=True,
    IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN=False,
    IDP_OIDC_RATE_LIMITS=False,
    IDP_OIDC_ROTATE_REFRESH_TOKEN=True,
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [path("accounts/", include("allauth.urls")), path("", include("allauth.idp.urls"))]
application = get_wsgi_application()


def fill():
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("ada", "ada@lab.example", "correct horse", first_name="Ada", last_name="Lovelace")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client = Client(
        id="lab-native",
        name="Lab command line",
        type="public",
        scopes="openid\nprofile\nemail\noffline_access\nthings",
        default_scopes="openid",
        grant_types="authorization_code\nrefresh_token\nurn:ietf:params:oauth:grant-type:device_code",
        response_types="code",
    )
    client.set_redirect_uris(["http://127.0.0.1/", "http://127.0.0.1"])
    client.set_post_logout_redirect_uris(["http://127.0.0.1:8913/left"])
    client.save()


if __name__ == "__main__":
    fill()
